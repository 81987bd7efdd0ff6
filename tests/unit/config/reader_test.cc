#include "config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/unit/config/texts.h"

namespace berth::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParseConfig, ReadsEveryField) {
  const ConfigReading reading = ParseConfig(WithHead(R"(
prefix: accelerators.example.org
kubernetes: {kubeconfig: /etc/kubeconfig, context: prod}
extender:
  listen: 127.0.0.1:0
  tls: {certFile: /tls.crt, keyFile: /tls.key, clientCAFile: /ca.crt}
  insecureLoopback: false
  maxBodyBytes: 2097152
  shortlist: {size: 8, defaultSpreading: false, deviceClassResources: [nvidia.com/gpu]}
metrics: {listen: "[::1]:9100"}
grpc: {listen: ":9091", tls: {certFile: /g.crt, keyFile: /g.key, clientCAFile: /g-ca.crt}}
log: {level: debug}
accelerators:
- name: H100
  resource: nvidia.com/gpu
  nodes:
  - {label: nvidia.com/gpu.product, matches: '(?i)\bh100'}
  memory: 80Gi
  performance: 7.5
- {name: TPU, resource: example.org/tpu}
health:
  conditions:
  - {type: Broken, effect: Penalize, minDuration: 5m, recovery: 1h30m, resources: ['rdma/*', a/b]}
  unknownStatus: Ignore
  staleAfter: 15m
  breaker: {fraction: 0.25, minNodes: 3, action: Penalize}
scheduling:
  policies: {health: {mode: Observe, weight: 9}, accelerator: {weight: 0}, packing: {weight: 100}}
)"),
                                            "f");
  ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty());
  const BerthConfiguration& config = reading.config;
  EXPECT_EQ(config.prefix, "accelerators.example.org");
  EXPECT_EQ(config.kubernetes.kubeconfig, "/etc/kubeconfig");
  EXPECT_EQ(config.kubernetes.context, "prod");
  EXPECT_EQ(config.extender.listen, "127.0.0.1:0");
  EXPECT_EQ(config.extender.tls.cert_file, "/tls.crt");
  EXPECT_EQ(config.extender.tls.key_file, "/tls.key");
  EXPECT_EQ(config.extender.tls.client_ca_file, "/ca.crt");
  EXPECT_FALSE(config.extender.insecure_loopback);
  EXPECT_EQ(config.extender.max_body_bytes, 2097152);
  EXPECT_EQ(config.extender.shortlist.size, 8);
  EXPECT_FALSE(config.extender.shortlist.default_spreading);
  EXPECT_THAT(config.extender.shortlist.device_class_resources,
              testing::ElementsAre("nvidia.com/gpu"));
  EXPECT_EQ(config.metrics.listen, "[::1]:9100");
  EXPECT_EQ(config.grpc.listen, ":9091");
  EXPECT_EQ(config.grpc.tls.cert_file, "/g.crt");
  EXPECT_EQ(config.grpc.tls.key_file, "/g.key");
  EXPECT_EQ(config.grpc.tls.client_ca_file, "/g-ca.crt");
  EXPECT_EQ(config.log.level, LogThreshold::kDebug);

  ASSERT_EQ(config.accelerators.size(), 2u);
  EXPECT_EQ(config.accelerators[0].name, "H100");
  EXPECT_EQ(config.accelerators[0].nodes.at(0).matches, "(?i)\\bh100");
  EXPECT_EQ(config.accelerators[0].memory->text(), "80Gi");
  EXPECT_EQ(config.accelerators[1].memory, std::nullopt);
  EXPECT_EQ(config.accelerators[0].performance, 7.5);
  EXPECT_EQ(config.accelerators[1].performance, 1.0);

  const auto& policies = config.scheduling.policies.all;
  const auto& health =
      std::get<policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>>(policies);
  EXPECT_EQ(health.mode, policies::scheduling::Mode::kObserve);
  EXPECT_EQ(health.weight, 9);
  EXPECT_EQ(health.config.unknown_status, policies::scheduling::Effect::kIgnore);
  EXPECT_EQ(health.config.stale_after, model::Duration{900});
  EXPECT_EQ(health.config.breaker.fraction, 0.25);
  EXPECT_EQ(health.config.breaker.min_nodes, 3);
  EXPECT_EQ(health.config.breaker.action, policies::scheduling::BreakerAction::kPenalize);
  ASSERT_EQ(health.config.conditions.size(), 1u);
  EXPECT_EQ(health.config.conditions[0].effect, policies::scheduling::Effect::kPenalize);
  EXPECT_EQ(health.config.conditions[0].min_duration, model::Duration{300});
  EXPECT_EQ(health.config.conditions[0].recovery, model::Duration{5400});
  EXPECT_THAT(health.config.conditions[0].resources, testing::ElementsAre("rdma/*", "a/b"));
  EXPECT_EQ(
      std::get<policies::scheduling::PolicySettings<policies::scheduling::PackingPolicy>>(policies)
          .weight,
      100);
}

TEST(ParseConfig, KeepsTheDefaultsOfWhatIsNotSaid) {
  for (const char* body : {"", "health:\nscheduling: {policies: {health: ~}}\naccelerators: null\n",
                           "health: {}\nlog: {}\nmetrics: {}\n"}) {
    const ConfigReading reading = ParseConfig(WithCertificate(body), "f");
    ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty()) << body;
    EXPECT_EQ(reading.config.extender.listen, ":8443");
    EXPECT_EQ(reading.config.metrics.listen, ":9090");
    EXPECT_EQ(reading.config.prefix, "berth.dev");
    EXPECT_EQ(reading.config.accelerators.size(), model::AcceleratorCatalog::Defaults().size());
  }
}

TEST(ParseConfig, TakesAnchorsAndJson) {
  EXPECT_THAT(ErrorsOf(WithHead("extender: {tls: {certFile: &f /c, keyFile: *f}}\n")), IsEmpty());
  EXPECT_THAT(ErrorsOf(R"({"apiVersion": "config.berth.dev/v1alpha1", "kind": "BerthConfiguration",
                           "extender": {"insecureLoopback": true, "listen": "localhost:0"}})"),
              IsEmpty());
}

TEST(ParseConfig, AllowsPlainHttpOnLoopbackAlone) {
  for (const char* address : {"127.0.0.1:80", "[::1]:80", "localhost:80", "127.1.2.3:0"}) {
    const std::string listen = std::string("listen: '") + address + "'";
    EXPECT_THAT(ErrorsOf(WithHead("extender: {insecureLoopback: true, " + listen + "}")),
                IsEmpty());
  }
  for (const char* address : {":80", "0.0.0.0:80", "[::]:80", "10.0.0.1:80"}) {
    const std::string listen = std::string("listen: '") + address + "'";
    EXPECT_THAT(ErrorsOf(WithHead("extender: {insecureLoopback: true, " + listen + "}")),
                HasSubstr("f:3: extender.listen: \"" + std::string(address) +
                          "\" can be reached from other machines"));
  }
}

TEST(ParseConfig, LeavesTheSyntaxOfPartsToWhoKnowsIt) {
  const struct {
    const char* body;
    const char* place;
  } cases[] = {
      {"metrics: {listen: example.org:80}", "f:4: metrics.listen: "},
      {"metrics:\n  listen: '99999'", "f:5: metrics.listen: "},
      {"accelerators:\n- name: A\n  resource: a.org/b\n  nodes: [{label: l, matches: '('}]",
       "f:7: accelerators[0].nodes[0].matches: "},
      {"accelerators: [{name: A, resource: a.org/b, memory: 1e3Ki}]",
       "f:4: accelerators[0].memory: "},
      {"accelerators: [{name: A, resource: a.org/b, memory: -1}]", "f:4: accelerators[0].memory: "},
      {"accelerators: [{name: A, resource: cpu}]", "f:4: accelerators[0].resource: "},
      {"health: {staleAfter: -1s}", "f:4: health.staleAfter: "},
  };
  for (const auto& test : cases) {
    const ConfigReading reading = ParseConfig(WithCertificate(test.body), "f");
    ASSERT_EQ(reading.errors.size(), 1u) << test.body << '\n' << yaml::ToString(reading.errors);
    EXPECT_THAT(yaml::ToString(reading.errors), HasSubstr(test.place));
  }
}

TEST(ParseConfig, LetsAConditionOfAProfileBeIgnored) {
  const ConfigReading reading =
      ParseConfig(WithCertificate("health:\n  profiles: [pfn]\n  conditions:\n"
                                  "  - {type: DStateProcess, effect: Ignore}"),
                  "f");
  ASSERT_TRUE(reading.ok()) << yaml::ToString(reading.errors);
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const auto& health = std::get<Health>(reading.config.scheduling.policies.all).config;
  ASSERT_EQ(health.conditions.size(), 1u);
  EXPECT_EQ(health.conditions[0].effect, policies::scheduling::Effect::kIgnore);
}

TEST(ParseConfig, WantsAllOfACertificateOrPlainLoopback) {
  const std::string no_pem(kNoPem);
  for (const std::string block : {"extender", "admission"}) {
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  listen: :1\n")), "");
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  tls:\n    certFile: /c\n")),
              "f:4: " + block + ".tls.keyFile: " + no_pem);
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  tls:\n    clientCAFile: /c\n")),
              "f:4: " + block + ".tls.certFile: " + no_pem + "\nf:4: " + block +
                  ".tls.keyFile: " + no_pem);
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  listen: localhost:1\n  insecureLoopback: true\n"
                                        "  tls: {clientCAFile: /ca}\n")),
              "f:6: " + block + ".tls: excludes insecureLoopback: true; remove one of the two");
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  listen: :1\n  insecureLoopback: true\n")),
              "f:4: " + block +
                  ".listen: \":1\" can be reached from other machines, so insecureLoopback is not "
                  "allowed with it; write 127.0.0.1:1 or set " +
                  block + ".tls");
  }
}

TEST(ParseConfig, ReadsTheBlockAdmission) {
  const ConfigReading reading = ParseConfig(WithHead(R"(
admission:
  listen: ':1234'
  tls: {certFile: /a.crt, keyFile: /a.key}
  maxBodyBytes: 2097152
  controllers: [{user: 'system:serviceaccount:kubeflow:operator', owner: PyTorchJob}]
  templates: [{group: kubeflow.org, kind: PyTorchJob, path: /spec/pytorchReplicaSpecs/*/template}]
  policies: {creator: {mode: Warn}}
)"),
                                            "f");
  ASSERT_TRUE(reading.ok()) << yaml::ToString(reading.errors);
  const WebhookConfig& config = reading.config.admission;
  EXPECT_EQ(config.listen, ":1234");
  EXPECT_EQ(config.tls.cert_file, "/a.crt");
  EXPECT_EQ(config.max_body_bytes, 2 << 20);
  ASSERT_EQ(config.judgement.controllers.size(), 1u);
  EXPECT_EQ(config.judgement.controllers[0].owner, "PyTorchJob");
  ASSERT_EQ(config.judgement.templates.size(), 1u);
  EXPECT_EQ(config.judgement.templates[0].path, "/spec/pytorchReplicaSpecs/*/template");
  using Creator = policies::admission::PolicySettings<policies::admission::CreatorPolicy>;
  EXPECT_EQ(std::get<Creator>(config.judgement.policies.all).mode,
            policies::admission::Mode::kWarn);
}

TEST(ParseConfig, RefusesABlockAdmissionThatMakesNoSense) {
  EXPECT_EQ(ErrorsOf(WithHead("admission:\n  maxBodyBytes: 5\n")),
            "f:4: admission.maxBodyBytes: must be from 1048576 to 1073741824, got 5");
  EXPECT_EQ(
      ErrorsOf(WithHead("metrics: {listen: ':9443'}\n")),
      "f:3: metrics.listen: \":9443\" is already used by admission.listen; write another port");
  EXPECT_THAT(
      ErrorsOf(WithHead("admission:\n  templates:\n  - {kind: X, path: spec}\n")),
      HasSubstr("f:5: admission.templates[0].path: is not a JSON pointer to a pod template"));
}

TEST(ParseConfig, BoundsTheBody) {
  for (const char* bytes : {"0", "-1", "1048575", "1073741825"}) {
    EXPECT_THAT(ErrorsOf(WithHead("extender:\n  maxBodyBytes: " + std::string(bytes) +
                                  "\n  tls: {certFile: /c, keyFile: /k}")),
                "f:4: extender.maxBodyBytes: must be from 1048576 to 1073741824, got " +
                    std::string(bytes));
  }
}

TEST(ParseConfig, RefusesAShortlistThatMakesNoSense) {
  EXPECT_EQ(ErrorsOf(WithHead("extender:\n  shortlist:\n    size: 1001\n")),
            "f:5: extender.shortlist.size: must be from 0 to 1000, got 1001");
  EXPECT_THAT(ErrorsOf(WithHead("extender:\n  shortlist: {deviceClassResources: [gpu]}\n")),
              HasSubstr("f:4: extender.shortlist.deviceClassResources[0]: \"gpu\" is not an "
                        "extended resource; write the extendedResourceName of a DeviceClass"));
  EXPECT_THAT(ErrorsOf(WithHead("extender:\n  shortlist: {sise: 8}\n")),
              HasSubstr("extender.shortlist.sise: there is no such field; did you mean"));
}

TEST(ParseConfig, NamesTheFormatsThatItReads) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"apiVersion: config.berth.dev/v1\nkind: BerthConfiguration\nnew: 1",
       "f:1: apiVersion: \"config.berth.dev/v1\" is not supported; write "
       "config.berth.dev/v1alpha1"},
      {"apiVersion: v1\nkind: Pod",
       "f:1: apiVersion: \"v1\" is not supported; write config.berth.dev/v1alpha1\n"
       "f:2: kind: \"Pod\" is not supported; write BerthConfiguration"},
      {"prefix: a.org",
       "f:1: apiVersion: is missing; write config.berth.dev/v1alpha1\n"
       "f:1: kind: is missing; write BerthConfiguration"},
  };
  for (const auto& test : cases) EXPECT_EQ(ErrorsOf(test.text), test.error);
}

TEST(ParseConfig, RefusesWhatIsNotOneMap) {
  EXPECT_EQ(ErrorsOf(""),
            "f: is empty; write at least \"apiVersion: config.berth.dev/v1alpha1\" and \"kind: "
            "BerthConfiguration\"");
  EXPECT_EQ(ErrorsOf("- a"), "f:1: must be a map of fields, got a list");
  EXPECT_EQ(ErrorsOf("just text"), "f:1: must be a map of fields, got text");
  EXPECT_EQ(ErrorsOf("a: 1\n---\nb: 1"), "f:3: has several documents; keep one");
  EXPECT_EQ(ErrorsOf("a: [\n"), "f:2: is not YAML: end of sequence flow not found");
}

TEST(ParseConfig, TellsAllMistakesAtOnceByLine) {
  EXPECT_EQ(ErrorsOf(WithHead("extender:\n"
                              "  listen: 5\n"
                              "  insecureLoopback: yes\n"
                              "  tls: {certFile: /c, keyfile: /k}\n"
                              "health:\n"
                              "  staleAfter: 1d\n"
                              "  conditions:\n"
                              "  - {type: A, effect: Exclude, recovery: 1}\n"
                              "metrics: {listen: nowhere}\n")),
            "f:4: extender.listen: must be text, got 5; put it in quotes\n"
            "f:5: extender.insecureLoopback: must be true or false, got \"yes\"\n"
            "f:6: extender.tls.keyfile: there is no such field; did you mean keyFile?\n"
            "f:6: extender.tls.keyFile: " +
                std::string(kNoPem) +
                "\n"
                "f:8: health.staleAfter: \"1d\" is not a duration, which is numbers with the units "
                "h, m and s; write a duration such as "
                "10m, 1h30m or 0s\n"
                "f:10: health.conditions[0].recovery: \"1\" is not a duration, which is numbers "
                "with the units h, m and s; "
                "write a duration such as 10m, 1h30m or 0s\n"
                "f:11: metrics.listen: " +
                ErrorsOf(WithCertificate("metrics: {listen: nowhere}\n"))
                    .substr(std::string("f:4: metrics.listen: ").size()));
}

TEST(ParseConfig, ShortensLongValues) {
  const std::string errors =
      ErrorsOf(WithCertificate("log: {level: " + std::string(5000, 'x') + "}"));
  EXPECT_LT(errors.size(), 300u);
}

TEST(ReadConfig, NamesTheFile) {
  EXPECT_EQ(yaml::ToString(ReadConfig("/nonexistent/berth.yaml").errors),
            "/nonexistent/berth.yaml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace berth::config
