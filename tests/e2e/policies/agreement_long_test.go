//go:build long

package policies

import "testing"

func TestPoliciesAgreeWithTheWebhookHoweverConfigured(t *testing.T) {
	for name, policies := range map[string]map[string]any{
		"cpu requests stay":         {"guaranteedQos": map[string]any{"cpu": "Lower"}},
		"limits are only warned of": {"guaranteedQos": map[string]any{"mode": "Warn"}},
		"retries and isolation are only warned of": {
			"jobRetries": map[string]any{"mode": "Warn"}, "isolation": map[string]any{"mode": "Warn"}},
	} {
		t.Run(name, func(t *testing.T) { agree(t, policies) })
	}
}
