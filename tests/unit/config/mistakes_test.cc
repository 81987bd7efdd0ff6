// What is refused, with its path and line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/unit/config/texts.h"

namespace berth::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct FileMistake {
  const char* body;  // from line 4 on
  const char* error;
};

class ParseConfigRefuses : public testing::TestWithParam<FileMistake> {};

TEST_P(ParseConfigRefuses, WithPathAndLine) {
  EXPECT_EQ(ErrorsOf(WithCertificate(GetParam().body)), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    UnknownFields, ParseConfigRefuses,
    testing::Values(
        FileMistake{"helth: {}", "f:4: helth: there is no such field; did you mean health?"},
        FileMistake{"log: {\n  Level: info}",
                    "f:5: log.Level: there is no such field; did you mean level?"},
        FileMistake{"metrics: {tls: 1}",
                    "f:4: metrics.tls: there is no such field; the fields are listen"},
        FileMistake{"health:\n  conditions:\n  - type: A\n    effect: Exclude\n    recover: 1m",
                    "f:8: health.conditions[0].recover: there is no such field; did you mean "
                    "recovery?"},
        FileMistake{"scheduling: {policies: {pack: {weight: 1}}}",
                    "f:4: scheduling.policies.pack: there is no such field; the fields are "
                    "accelerator, health, thrift, packing, "
                    "avoid, kept"},
        FileMistake{
            "scheduling:\n  policies:\n    health: {enforce: true}",
            "f:6: scheduling.policies.health.enforce: there is no such field; the fields are "
            "mode, weight"},
        FileMistake{
            "'': 1",
            "f:4: there is no such field; the fields are apiVersion, kind, prefix, kubernetes, "
            "extender, admission, controller, planner, metrics, probes, grpc, prometheus, "
            "idle, log, accelerators, "
            "health, scheduling"},
        FileMistake{"<<: {log: {}}",
                    "f:4: <<: there is no such field; the fields are apiVersion, kind, prefix, "
                    "kubernetes, extender, admission, controller, planner, metrics, probes, grpc, "
                    "prometheus, idle, log, "
                    "accelerators, health, scheduling"}));

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, ParseConfigRefuses,
    testing::Values(
        FileMistake{"log: info", "f:4: log: must be a map of fields, got text"},
        FileMistake{"log: [info]", "f:4: log: must be a map of fields, got a list"},
        FileMistake{"prefix: 5", "f:4: prefix: must be text, got 5; put it in quotes"},
        FileMistake{"prefix: true", "f:4: prefix: must be text, got true; put it in quotes"},
        FileMistake{"prefix: {a: b}", "f:4: prefix: must be text, got a map"},
        FileMistake{"accelerators: V100", "f:4: accelerators: must be a list, got text"},
        FileMistake{"accelerators: {V100: {}}", "f:4: accelerators: must be a list, got a map"},
        FileMistake{"accelerators:\n- V100",
                    "f:5: accelerators[0]: must be a map of fields, got text"},
        FileMistake{"accelerators:\n- {name: A, resource: a.org/b}\n-",
                    "f:6: accelerators[1]: is empty; write a value or remove it"},
        FileMistake{"health: {breaker: {fraction: '0.5'}}",
                    "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                    "\"0.5\""},
        FileMistake{"health: {breaker: {fraction: .nan}}",
                    "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                    "\".nan\""},
        FileMistake{"health: {breaker: {fraction: half}}",
                    "f:4: health.breaker.fraction: must be a number such as 0.5, unquoted, got "
                    "\"half\""},
        FileMistake{"scheduling: {policies: {health: {mode: observe}}}",
                    "f:4: scheduling.policies.health.mode: must be one of Enforce, Observe, got "
                    "\"observe\"; did you mean Observe?"},
        FileMistake{"scheduling: {policies: {health: {weight: '4'}}}",
                    "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                    "2147483647, unquoted, got \"4\""},
        FileMistake{"scheduling: {policies: {health: {weight: 2.5}}}",
                    "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                    "2147483647, unquoted, got \"2.5\""},
        FileMistake{"scheduling: {policies: {health: {weight: 2147483648}}}",
                    "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                    "2147483647, unquoted, got \"2147483648\""},
        FileMistake{"scheduling: {policies: {health: {weight: [1]}}}",
                    "f:4: scheduling.policies.health.weight: must be a whole number of at most "
                    "2147483647, unquoted, got a list"},
        FileMistake{
            "health:\n  staleAfter: 5",
            "f:5: health.staleAfter: \"5\" is not a duration, which is numbers with the units "
            "h, m and s; write a "
            "duration such as 10m, 1h30m or 0s"},
        FileMistake{
            "health:\n  staleAfter: [5m]",
            "f:5: health.staleAfter: must be a duration such as 10m, 1h30m or 0s, got a list"},
        FileMistake{"health: {unknownStatus: Exclud}",
                    "f:4: health.unknownStatus: must be one of Exclude, Penalize, Ignore, got "
                    "\"Exclud\"; did you mean Exclude?"},
        FileMistake{"log: {level: {}}",
                    "f:4: log.level: must be one of debug, info, warning, error, got a map"},
        FileMistake{"accelerators: [{name: A, resource: a.org/b, memory: [1]}]",
                    "f:4: accelerators[0].memory: must be a quantity such as 40Gi, got a list"},
        FileMistake{"planner: {gangs: {schedulerLeases: [kube-scheduler]}}",
                    "f:4: planner.gangs.schedulerLeases[0]: must be a namespace and a name such as "
                    "kube-system/kube-scheduler, got \"kube-scheduler\""},
        FileMistake{"planner: {gangs: {schedulerLeases: [a/b/c, A/b]}}",
                    "f:4: planner.gangs.schedulerLeases[0]: must be a namespace and a name such as "
                    "kube-system/kube-scheduler, got \"a/b/c\"\n"
                    "f:4: planner.gangs.schedulerLeases[1]: must be a namespace and a name such as "
                    "kube-system/kube-scheduler, got \"A/b\""}));

INSTANTIATE_TEST_SUITE_P(
    ValuesOutOfRange, ParseConfigRefuses,
    testing::Values(
        FileMistake{
            "prefix: a/b",
            "f:4: prefix: \"a/b\" is not a domain; write one such as berth.dev, in lower case "
            "and without '/'"},
        FileMistake{
            "prefix: ''",
            "f:4: prefix: \"\" is not a domain; write one such as berth.dev, in lower case and "
            "without '/'"},
        FileMistake{
            "kubernetes: {context: prod}",
            "f:4: kubernetes.context: has no effect without kubernetes.kubeconfig; set both"},
        FileMistake{
            "probes: {listen: ':9090'}",
            "f:4: probes.listen: \":9090\" is already used by metrics.listen; write another port"},
        FileMistake{
            "metrics: {listen: ':8443'}",
            "f:4: metrics.listen: \":8443\" is already used by extender.listen; write another "
            "port"},
        FileMistake{"grpc: {listen: ':9091'}",
                    "f:4: grpc.listen: \":9091\" can be reached from other machines; write "
                    "127.0.0.1:9091, or set grpc.tls: certFile, keyFile and clientCAFile"},
        FileMistake{"grpc: {listen: 'localhost:1', tls: {certFile: /c, keyFile: /k}}",
                    "f:4: grpc.tls: is mutual TLS; set certFile, keyFile and clientCAFile"},
        FileMistake{"grpc: {tls: {certFile: /c, keyFile: /k, clientCAFile: /a}}",
                    "f:4: grpc.tls: has no effect without grpc.listen; set both"},
        FileMistake{
            "metrics: {listen: ':1'}\ngrpc: {listen: ':1', tls: {certFile: /c, keyFile: /k, "
            "clientCAFile: /a}}",
            "f:5: grpc.listen: \":1\" is already used by metrics.listen; write another port"},
        FileMistake{
            "controller:\n  lease: {namespace: Berth.System}",
            "f:5: controller.lease.namespace: \"Berth.System\" is not the name of a namespace; "
            "write one such as berth-system"},
        FileMistake{
            "controller:\n  lease:\n    name: a_b",
            "f:6: controller.lease.name: \"a_b\" is not the name of an object; write one such "
            "as berth-controller"},
        FileMistake{
            "accelerators: []",
            "f:4: accelerators: is empty; list at least one accelerator, or leave it out for "
            "the built-in catalogue"},
        FileMistake{"accelerators:\n- {name: A, resource: a.org/b}\n- resource: a.org/b\n  name: A",
                    "f:7: accelerators[1].name: \"A\" is already the name of entry [0]"},
        FileMistake{
            "health: {breaker: {fraction: 0}}",
            "f:4: health.breaker.fraction: must be above 0 and at most 1; write 0.5 for half "
            "of an accelerator's nodes, or 1 for a breaker that never trips"},
        FileMistake{
            "health: {breaker: {fraction: 50}}",
            "f:4: health.breaker.fraction: must be above 0 and at most 1; write 0.5 for half "
            "of an accelerator's nodes, or 1 for a breaker that never trips"},
        FileMistake{"health:\n  breaker: {minNodes: 0}",
                    "f:5: health.breaker.minNodes: must be 1 or more, got 0; write fraction: 1 to "
                    "disable the breaker"},
        FileMistake{"accelerators:\n- {name: A, resource: a.org/b, performance: 0}",
                    "f:5: accelerators[0].performance: is not a number above 0; write 1.0 for the "
                    "slowest accelerator, 2.5 for one that is two and a half times as fast"},
        FileMistake{"accelerators:\n- {name: A, resource: a.org/b, memory: 100E}",
                    "f:5: accelerators[0].memory: must be from 1Mi to 64Pi, got \"100E\"; write "
                    "the memory of one device, such as \"40Gi\", or leave it out"},
        FileMistake{"accelerators:\n- {name: A, resource: a.org/b, share: {cpu: 3.5}}",
                    "f:5: accelerators[0].share.cpu: must be a whole number of cores from 1 to "
                    "1000000, got \"3.5\"; write 3 or 4"},
        FileMistake{
            "admission: {policies: {guaranteedQos: {small: {memory: 512}}}}",
            "f:4: admission.policies.guaranteedQos.small.memory: must be from 1Mi to "
            "64Pi, got \"512\"; without a suffix it is bytes; did you mean 512Mi or 512Gi?"},
        FileMistake{"controller: {activeChecks: [{name: a, image: b, memory: 512m}]}",
                    "f:4: controller.activeChecks[0].memory: must be from 1Mi to 64Pi, got "
                    "\"512m\"; m stands for thousandths of a byte; did you mean 512Mi?"},
        FileMistake{"scheduling:\n  policies: {health: {weight: 101}}",
                    "f:5: scheduling.policies.health.weight: must be from 0 to 100, got 101"},
        FileMistake{"scheduling:\n  policies: {health: {weight: -1}}",
                    "f:5: scheduling.policies.health.weight: must be from 0 to 100, got -1"}));

INSTANTIATE_TEST_SUITE_P(MissingFields, ParseConfigRefuses,
                         testing::Values(FileMistake{"accelerators:\n- name: A",
                                                     "f:5: accelerators[0].resource: is missing"},
                                         FileMistake{"accelerators:\n- name: A\n  resource:",
                                                     "f:5: accelerators[0].resource: is missing"},
                                         FileMistake{
                                             "health:\n  conditions:\n  - {}",
                                             "f:6: health.conditions[0].type: is missing\n"
                                             "f:6: health.conditions[0].effect: is missing"}));

}  // namespace
}  // namespace berth::config
