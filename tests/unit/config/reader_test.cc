#include "config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace berth::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Two lines in front of every case.
std::string WithHead(const std::string& body) {
  return "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n" + body;
}

// With a certificate, so that `body` alone is to blame: in line 3, the body begins in line 4.
std::string WithCertificate(const std::string& body) {
  return WithHead("extender: {tls: {certFile: /c, keyFile: /k}}\n" + body);
}

std::string ErrorsOf(const std::string& text) {
  return yaml::ToString(ParseConfig(text, "f").errors);
}

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

struct Mistake {
  const char* body;  // from line 4 on
  const char* error;
};

class ParseConfigRefuses : public testing::TestWithParam<Mistake> {};

TEST_P(ParseConfigRefuses, WithPathAndLine) {
  EXPECT_EQ(ErrorsOf(WithCertificate(GetParam().body)), GetParam().error);
}

constexpr const char* kNoPem = "must name a PEM file, as the other fields of tls do";

INSTANTIATE_TEST_SUITE_P(
    UnknownFields, ParseConfigRefuses,
    testing::Values(
        Mistake{"helth: {}", "f:4: helth: there is no such field; did you mean health?"},
        Mistake{"log: {\n  Level: info}",
                "f:5: log.Level: there is no such field; did you mean level?"},
        Mistake{"metrics: {tls: 1}", "f:4: metrics.tls: there is no such field; there are listen"},
        Mistake{"health:\n  conditions:\n  - type: A\n    effect: Exclude\n    recover: 1m",
                "f:8: health.conditions[0].recover: there is no such field; did you mean "
                "recovery?"},
        Mistake{"scheduling: {policies: {pack: {weight: 1}}}",
                "f:4: scheduling.policies.pack: there is no such field; there are accelerator, "
                "health, thrift, packing"},
        Mistake{"scheduling:\n  policies:\n    health: {enforce: true}",
                "f:6: scheduling.policies.health.enforce: there is no such field; there are mode, "
                "weight"},
        Mistake{
            "'': 1",
            "f:4: there is no such field; there are apiVersion, kind, prefix, kubernetes, "
            "extender, admission, controller, metrics, probes, grpc, log, accelerators, health, "
            "scheduling"},
        Mistake{
            "<<: {log: {}}",
            "f:4: <<: there is no such field; there are apiVersion, kind, prefix, kubernetes, "
            "extender, admission, controller, metrics, probes, grpc, log, accelerators, health, "
            "scheduling"}));

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, ParseConfigRefuses,
    testing::Values(
        Mistake{"log: info", "f:4: log: must be a map of fields, got text"},
        Mistake{"log: [info]", "f:4: log: must be a map of fields, got a list"},
        Mistake{"prefix: 5", "f:4: prefix: must be text, got 5; put it in quotes"},
        Mistake{"prefix: true", "f:4: prefix: must be text, got true; put it in quotes"},
        Mistake{"prefix: {a: b}", "f:4: prefix: must be text, got a map"},
        Mistake{"accelerators: V100", "f:4: accelerators: must be a list, got text"},
        Mistake{"accelerators: {V100: {}}", "f:4: accelerators: must be a list, got a map"},
        Mistake{"accelerators:\n- V100", "f:5: accelerators[0]: must be a map of fields, got text"},
        Mistake{"accelerators:\n- {name: A, resource: a.org/b}\n-",
                "f:6: accelerators[1]: is empty; fill it in or take it out"},
        Mistake{"health: {breaker: {fraction: '0.5'}}",
                "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                "\"0.5\""},
        Mistake{"health: {breaker: {fraction: .nan}}",
                "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                "\".nan\""},
        Mistake{"health: {breaker: {fraction: half}}",
                "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                "\"half\""},
        Mistake{"scheduling: {policies: {health: {mode: observe}}}",
                "f:4: scheduling.policies.health.mode: must be one of Enforce, Observe, got "
                "\"observe\"; did you mean Observe?"},
        Mistake{"scheduling: {policies: {health: {weight: '4'}}}",
                "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                "2147483647, unquoted, got \"4\""},
        Mistake{"scheduling: {policies: {health: {weight: 2.5}}}",
                "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                "2147483647, unquoted, got \"2.5\""},
        Mistake{"scheduling: {policies: {health: {weight: 2147483648}}}",
                "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                "2147483647, unquoted, got \"2147483648\""},
        Mistake{"scheduling: {policies: {health: {weight: [1]}}}",
                "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                "2147483647, unquoted, got a list"},
        Mistake{"health:\n  staleAfter: 5",
                "f:5: health.staleAfter: \"5\" is not a duration, which is numbers with the units "
                "h, m and s; write a "
                "duration such as 10m, 1h30m or 0s"},
        Mistake{"health:\n  staleAfter: [5m]",
                "f:5: health.staleAfter: must be a duration such as 10m, 1h30m or 0s, got a list"},
        Mistake{"health: {unknownStatus: Exclud}",
                "f:4: health.unknownStatus: must be one of Exclude, Penalize, Ignore, got "
                "\"Exclud\"; did you mean Exclude?"},
        Mistake{"log: {level: {}}",
                "f:4: log.level: must be one of debug, info, warning, error, got a map"},
        Mistake{"accelerators: [{name: A, resource: a.org/b, memory: [1]}]",
                "f:4: accelerators[0].memory: must be a quantity such as 40Gi, got a list"}));

INSTANTIATE_TEST_SUITE_P(
    ValuesOutOfRange, ParseConfigRefuses,
    testing::Values(
        Mistake{"prefix: a/b",
                "f:4: prefix: \"a/b\" is not a domain; write one such as berth.dev, in lower case "
                "and without '/'"},
        Mistake{"prefix: ''",
                "f:4: prefix: \"\" is not a domain; write one such as berth.dev, in lower case and "
                "without '/'"},
        Mistake{"kubernetes: {context: prod}",
                "f:4: kubernetes.context: is of no use without kubernetes.kubeconfig; set both"},
        Mistake{"probes: {listen: ':9090'}",
                "f:4: probes.listen: \":9090\" is metrics.listen already; write another port"},
        Mistake{"metrics: {listen: ':8443'}",
                "f:4: metrics.listen: \":8443\" is extender.listen already; write another port"},
        Mistake{"grpc: {listen: ':9091'}",
                "f:4: grpc.listen: \":9091\" can be reached from other machines; write "
                "127.0.0.1:9091, or set grpc.tls: certFile, keyFile and clientCAFile"},
        Mistake{"grpc: {listen: 'localhost:1', tls: {certFile: /c, keyFile: /k}}",
                "f:4: grpc.tls: is mutual TLS; set certFile, keyFile and clientCAFile"},
        Mistake{"grpc: {tls: {certFile: /c, keyFile: /k, clientCAFile: /a}}",
                "f:4: grpc.tls: is of no use without grpc.listen; set both"},
        Mistake{"metrics: {listen: ':1'}\ngrpc: {listen: ':1', tls: {certFile: /c, keyFile: /k, "
                "clientCAFile: /a}}",
                "f:5: grpc.listen: \":1\" is metrics.listen already; write another port"},
        Mistake{"controller:\n  lease: {namespace: Berth.System}",
                "f:5: controller.lease.namespace: \"Berth.System\" is not the name of a namespace; "
                "write one such as berth-system"},
        Mistake{"controller:\n  lease:\n    name: a_b",
                "f:6: controller.lease.name: \"a_b\" is not the name of an object; write one such "
                "as berth-controller"},
        Mistake{"accelerators: []",
                "f:4: accelerators: is empty; list one at least, or leave it out for the built-in "
                "catalogue"},
        Mistake{"accelerators:\n- {name: A, resource: a.org/b}\n- resource: a.org/b\n  name: A",
                "f:7: accelerators[1].name: \"A\" is the name of entry [0] already"},
        Mistake{"health: {breaker: {fraction: 0}}",
                "f:4: health.breaker.fraction: must be above 0 and at most 1; write 0.5 for half "
                "of an accelerator's nodes, or 1 for a breaker that never trips"},
        Mistake{"health: {breaker: {fraction: 50}}",
                "f:4: health.breaker.fraction: must be above 0 and at most 1; write 0.5 for half "
                "of an accelerator's nodes, or 1 for a breaker that never trips"},
        Mistake{"health:\n  breaker: {minNodes: 0}",
                "f:5: health.breaker.minNodes: must be 1 or more, got 0; write fraction: 1 for no "
                "breaker at all"},
        Mistake{"accelerators:\n- {name: A, resource: a.org/b, performance: 0}",
                "f:5: accelerators[0].performance: is not a number above 0; write 1.0 for the "
                "slowest accelerator, 2.5 for one that is two and a half times as fast"},
        Mistake{"scheduling:\n  policies: {health: {weight: 101}}",
                "f:5: scheduling.policies.health.weight: must be from 0 to 100, got 101"},
        Mistake{"scheduling:\n  policies: {health: {weight: -1}}",
                "f:5: scheduling.policies.health.weight: must be from 0 to 100, got -1"}));

INSTANTIATE_TEST_SUITE_P(MissingFields, ParseConfigRefuses,
                         testing::Values(Mistake{"accelerators:\n- name: A",
                                                 "f:5: accelerators[0].resource: is missing"},
                                         Mistake{"accelerators:\n- name: A\n  resource:",
                                                 "f:5: accelerators[0].resource: is missing"},
                                         Mistake{"health:\n  conditions:\n  - {}",
                                                 "f:6: health.conditions[0].type: is missing\n"
                                                 "f:6: health.conditions[0].effect: is missing"}));

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
      {"health:\n  conditions:\n  - {type: A, effect: Ignore}",
       "f:6: health.conditions[0].effect: "},
      {"health: {staleAfter: -1s}", "f:4: health.staleAfter: "},
  };
  for (const auto& test : cases) {
    const ConfigReading reading = ParseConfig(WithCertificate(test.body), "f");
    ASSERT_EQ(reading.errors.size(), 1u) << test.body << '\n' << yaml::ToString(reading.errors);
    EXPECT_THAT(yaml::ToString(reading.errors), HasSubstr(test.place));
  }
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
              "f:6: " + block + ".tls: excludes insecureLoopback: true; take out one of the two");
    EXPECT_EQ(ErrorsOf(WithHead(block + ":\n  listen: :1\n  insecureLoopback: true\n")),
              "f:4: " + block +
                  ".listen: \":1\" can be reached from other machines, so "
                  "insecureLoopback does not go with it; write 127.0.0.1:1 or set " +
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
  EXPECT_EQ(ErrorsOf(WithHead("metrics: {listen: ':9443'}\n")),
            "f:3: metrics.listen: \":9443\" is admission.listen already; write another port");
  EXPECT_THAT(ErrorsOf(WithHead("admission:\n  templates:\n  - {kind: X, path: spec}\n")),
              HasSubstr("f:5: admission.templates[0].path: is no JSON pointer to a pod template"));
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
