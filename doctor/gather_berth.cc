#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <utility>

#include "doctor/gather.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;

std::string DecodedSecret(const JsonValue& value) {
  std::string decoded;
  const std::string_view text = value.String();
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &decoded)) {
    value.Report("is not base64");
  }
  return decoded;
}

std::string PathOf(const std::string& namespace_name, std::string_view kind,
                   const std::string& name) {
  return fmt::format("/api/v1/namespaces/{}/{}/{}", namespace_name, kind, name);
}

std::vector<std::string> Texts(const JsonValue& list) {
  std::vector<std::string> texts;
  list.ForEachItem([&texts](const JsonValue& item) { texts.push_back(item.Text()); });
  return texts;
}

LabelSelector SelectorFrom(const JsonValue& json) {
  LabelSelector selector{.labels = json.Field("matchLabels").StringMap()};
  json.Field("matchExpressions").ForEachItem([&selector](const JsonValue& expression) {
    selector.expressions.push_back({.key = expression.Field("key").Text(),
                                    .op = expression.Field("operator").Text(),
                                    .values = Texts(expression.Field("values"))});
  });
  return selector;
}

WebhookFacts WebhookFrom(const JsonValue& json) {
  const JsonValue client = json.Field("clientConfig");
  const JsonValue service = client.Field("service");
  return {.name = json.Field("name").Text(),
          .authorities = DecodedSecret(client.Field("caBundle")),
          .failure_policy = json.Field("failurePolicy").Text(),
          .namespaces = SelectorFrom(json.Field("namespaceSelector")),
          .service = service.Field("name").Text()};
}

absl::StatusOr<WebhookConfigurationFacts> GatherWebhook(kube::Api& api, const kube::Need& need,
                                                        std::string kind, const std::string& name) {
  WebhookConfigurationFacts configuration{.kind = std::move(kind)};
  const absl::Status got = api.Get(
      fmt::format("/apis/admissionregistration.k8s.io/v1/{}/{}", need.permission.resource, name),
      need, [&configuration](const JsonValue& object) {
        object.Field("webhooks").ForEachItem([&configuration](const JsonValue& webhook) {
          configuration.webhooks.push_back(WebhookFrom(webhook));
        });
      });
  if (!got.ok() && !absl::IsNotFound(got)) return got;
  configuration.exists = got.ok();
  return configuration;
}

}  // namespace

absl::StatusOr<std::string> GatherConfigMap(kube::Api& api, const std::string& namespace_name,
                                            const std::string& name, const std::string& key) {
  std::optional<std::string> text;
  const kube::Need need{{"", "configmaps", "get"}, namespace_name};
  const absl::Status got =
      api.Get(PathOf(namespace_name, "configmaps", name), need, [&](const JsonValue& object) {
        const JsonValue data = object.Field("data");
        const JsonValue value = data.Field(key);
        if (!value.absent()) text = value.Text();
      });
  if (!got.ok()) return got;
  if (text) return *std::move(text);
  return absl::NotFoundError(
      fmt::format("ConfigMap {}/{} has no key {}", namespace_name, name, key));
}

absl::StatusOr<ServiceFacts> GatherService(kube::Api& api, const std::string& namespace_name,
                                           const std::string& name) {
  ServiceFacts service{.name = name};
  const kube::Need need{{"", "services", "get"}, namespace_name};
  const absl::Status got =
      api.Get(PathOf(namespace_name, "services", name), need, [&](const JsonValue& object) {
        const JsonValue spec = object.Field("spec");
        service.cluster_ips = Texts(spec.Field("clusterIPs"));
        std::erase(service.cluster_ips, "None");
      });
  if (!got.ok()) return got;
  return service;
}

absl::StatusOr<SecretFacts> GatherSecret(kube::Api& api, const std::string& namespace_name,
                                         const std::string& name) {
  SecretFacts secret{.name = name};
  const kube::Need need{{"", "secrets", "get"}, namespace_name};
  const absl::Status got =
      api.Get(PathOf(namespace_name, "secrets", name), need, [&](const JsonValue& object) {
        const JsonValue data = object.Field("data");
        secret.chain = DecodedSecret(data.Field("tls.crt"));
        secret.authorities = DecodedSecret(data.Field("ca.crt"));
      });
  if (!got.ok() && !absl::IsNotFound(got)) return got;
  secret.exists = got.ok();
  return secret;
}

absl::StatusOr<LeaderFacts> GatherLeader(kube::Api& api, const std::string& namespace_name,
                                         const std::string& name) {
  LeaderFacts leader{.lease = name};
  const kube::Need need{{"coordination.k8s.io", "leases", "get"}, namespace_name};
  const absl::Status got = api.Get(
      fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}", namespace_name, name),
      need, [&leader](const JsonValue& object) {
        const JsonValue spec = object.Field("spec");
        leader.holder = spec.Field("holderIdentity").Text();
        leader.renewed = spec.Field("renewTime").Time();
      });
  if (!got.ok() && !absl::IsNotFound(got)) return got;
  leader.exists = got.ok();
  return leader;
}

absl::StatusOr<bool> GatherPodGroups(kube::Api& api) {
  const absl::Status got = api.Get("/apis/scheduling.k8s.io/v1beta1", {}, [](const JsonValue&) {});
  if (!got.ok() && !absl::IsNotFound(got)) return got;
  return got.ok();
}

absl::StatusOr<std::vector<WebhookConfigurationFacts>> GatherWebhooks(kube::Api& api,
                                                                      const std::string& name) {
  const std::vector<kube::Need> needs = NeedsOf(Source::kWebhooks, {});
  auto mutating = GatherWebhook(api, needs[0], "MutatingWebhookConfiguration", name);
  if (!mutating.ok()) return mutating.status();
  auto validating = GatherWebhook(api, needs[1], "ValidatingWebhookConfiguration", name);
  if (!validating.ok()) return validating.status();
  return std::vector<WebhookConfigurationFacts>{*std::move(mutating), *std::move(validating)};
}

}  // namespace berth::doctor
