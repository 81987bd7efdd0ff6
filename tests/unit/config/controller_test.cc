#include "controller/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/reader.h"

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The block begins in line 4.
ConfigReading Parse(const std::string& block) {
  return ParseConfig(
      "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\ncontroller:\n" + block,
      "f");
}

std::string BlockErrors(const std::string& block) { return yaml::ToString(Parse(block).errors); }

TEST(ControllerConfigTest, IsReadWhole) {
  const ConfigReading reading = Parse(R"(
  lease: {namespace: berth-system, name: berth-controller}
  owner: berth
  ownedLeases: [berth-scheduler]
  certificates:
    authority: {secret: my-ca, validity: 8760h}
    validity: 720h
    servers:
    - {secret: berth-admission-tls, service: berth-admission}
    - {secret: berth-extender-tls, service: berth-extender, hosts: [localhost, 127.0.0.1, "::1"]}
    clients:
    - {secret: berth-scheduler-tls, name: berth-scheduler}
    webhooks: [berth]
  lostNodes: {forceDeleteAfter: 15m, maxShare: 0.25}
  repair: {enabled: true, maxShare: 0.25}
  taints: true
)");
  ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty());
  const controller::ControllerConfig& config = reading.config.controller;
  EXPECT_EQ(config.owner, "berth");
  EXPECT_THAT(config.owned_leases, ElementsAre("berth-scheduler"));
  EXPECT_EQ(config.certificates.authority.secret, "my-ca");
  EXPECT_EQ(config.certificates.authority.validity, std::chrono::hours(8760));
  EXPECT_EQ(config.certificates.validity, std::chrono::hours(720));
  ASSERT_EQ(config.certificates.servers.size(), 2u);
  EXPECT_EQ(config.certificates.servers[0].service, "berth-admission");
  EXPECT_THAT(config.certificates.servers[1].hosts, ElementsAre("localhost", "127.0.0.1", "::1"));
  EXPECT_THAT(config.certificates.webhooks, ElementsAre("berth"));
  ASSERT_EQ(config.certificates.clients.size(), 1u);
  EXPECT_EQ(config.certificates.clients[0].name, "berth-scheduler");
  EXPECT_THAT(SecretsOf(config.certificates),
              ElementsAre("berth-admission-tls", "berth-extender-tls", "berth-scheduler-tls"));
  EXPECT_EQ(config.lost_nodes.force_delete_after, std::chrono::minutes(15));
  EXPECT_EQ(config.lost_nodes.max_share, 0.25);
  EXPECT_TRUE(config.repair.enabled);
  EXPECT_EQ(config.repair.max_share, 0.25);
  EXPECT_TRUE(config.taints);
}

TEST(ControllerConfigTest, ReadsActiveChecks) {
  const auto reading = Parse(R"(
  activeChecks:
  - name: vector-add
    image: registry.example/vector-add:1
    command: [/vector-add]
    accelerators: [A100]
    every: 12h
    maxShare: 0.2
    memory: 8Gi
  checkPods: {scheduler: berth}
)");
  ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty());
  const auto& checks = reading.config.controller.active_checks;
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].condition, "GPURuntimeError");
  EXPECT_EQ(checks[0].every, std::chrono::hours(12));
  EXPECT_EQ(checks[0].memory->text(), "8Gi");
  EXPECT_EQ(reading.config.controller.check_pods.scheduler, "berth");
}

TEST(ControllerConfigTest, ReadsWhatHappensToRunningPods) {
  const auto reading = Parse(R"(
  evict:
  - {condition: GPUIsLost, after: 5m, perMinute: 2, maxShare: 0.2}
  - condition: DStateProcess
  avoidFor: 1h
)");
  ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty());
  const controller::ControllerConfig& config = reading.config.controller;
  EXPECT_THAT(config.evict, ElementsAre(controller::EvictConfig{.condition = "GPUIsLost",
                                                                .after = std::chrono::minutes(5),
                                                                .per_minute = 2,
                                                                .max_share = 0.2},
                                        controller::EvictConfig{.condition = "DStateProcess"}));
  EXPECT_EQ(config.avoid_for, std::chrono::hours(1));
}

TEST(ControllerConfigTest, MovesNoRunningPodByDefault) {
  EXPECT_THAT(controller::ControllerConfig().evict, IsEmpty());
  EXPECT_EQ(controller::ControllerConfig().avoid_for, model::Duration(0));
}

TEST(ControllerConfigTest, LooksForNoIdlePodsByDefault) {
  EXPECT_FALSE(controller::ControllerConfig().idle.enabled);
  EXPECT_FALSE(controller::ControllerConfig().idle.evicts());
}

TEST(ControllerConfigTest, ReadsWhatHappensToIdlePods) {
  const auto reading = Parse(R"(
  idle: {enabled: true, evictNotebooksAfter: 24h, minAge: 12h}
prometheus: {url: "http://prometheus:9090"}
idle:
  window: 4h
  utilization:
  - {accelerators: [MN-Core], query: mncore_busy, deviceLabels: [device]}
  - {query: DCGM_FI_DEV_GPU_UTIL}
)");
  ASSERT_THAT(yaml::ToString(reading.errors), IsEmpty());
  EXPECT_EQ(reading.config.controller.idle,
            (controller::IdlePodsConfig{.enabled = true,
                                        .evict_notebooks_after = std::chrono::hours(24),
                                        .min_age = std::chrono::hours(12)}));
  EXPECT_EQ(reading.config.prometheus.url, "http://prometheus:9090");
  EXPECT_EQ(reading.config.idle.window, std::chrono::hours(4));
  EXPECT_THAT(reading.config.idle.utilization,
              ElementsAre(usage::UtilizationConfig{.accelerators = {"MN-Core"},
                                                   .query = "mncore_busy",
                                                   .device_labels = {"device"}},
                          usage::UtilizationConfig{}));
}

TEST(ControllerConfigTest, TaintsNoNodesByDefault) {
  EXPECT_FALSE(controller::ControllerConfig().taints);
}

TEST(ControllerConfigTest, EndsNoPodsByDefault) {
  EXPECT_FALSE(controller::ControllerConfig().lost_nodes.enabled());
}

TEST(ControllerConfigTest, MakesNoCertificatesByDefault) {
  const controller::ControllerConfig config;
  EXPECT_THAT(Validate(config), IsEmpty());
  EXPECT_THAT(config.certificates.servers, IsEmpty());
  EXPECT_EQ(config.certificates.validity, std::chrono::hours(24) * 90);
  EXPECT_EQ(config.certificates.authority.validity, std::chrono::hours(24) * 3650);
}

struct Mistake {
  const char* block;
  const char* error;
};

class ControllerConfigRefuses : public testing::TestWithParam<Mistake> {};

TEST_P(ControllerConfigRefuses, WithPathAndLine) {
  EXPECT_EQ(BlockErrors(GetParam().block), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Names, ControllerConfigRefuses,
    testing::Values(
        Mistake{"  owner: Berth",
                "f:4: controller.owner: \"Berth\" is not the name of an object; write one such as "
                "berth"},
        Mistake{"  ownedLeases: [a]",
                "f:4: controller.ownedLeases: has no effect without controller.owner; set both"},
        Mistake{"  owner: berth\n  ownedLeases: [a, a_b]",
                "f:5: controller.ownedLeases[1]: \"a_b\" is not the name of an object; write one "
                "such as berth-scheduler"},
        Mistake{"  owner: berth\n  ownedLeases: [berth-controller]",
                "f:5: controller.ownedLeases[0]: is controller.lease.name, which gets the owner "
                "anyway; remove it"},
        Mistake{"  certificates:\n    authority: {secret: ''}",
                "f:5: controller.certificates.authority.secret: \"\" is not the name of an object; "
                "write one such as berth-ca"},
        Mistake{"  certificates:\n    servers: [{secret: a/b, hosts: [localhost]}]",
                "f:5: controller.certificates.servers[0].secret: \"a/b\" is not the name of an "
                "object; write one such as berth-admission-tls"},
        Mistake{"  certificates:\n    servers: [{hosts: [localhost]}]",
                "f:5: controller.certificates.servers[0].secret: is missing"},
        Mistake{"  certificates:\n    servers: [{secret: a, service: b.c}]",
                "f:5: controller.certificates.servers[0].service: \"b.c\" is not the name of a "
                "Service; write one such as berth-admission"},
        Mistake{"  certificates: {servers: [{secret: a, service: b}], webhooks: ['']}",
                "f:4: controller.certificates.webhooks[0]: \"\" is not the name of an object; "
                "write one such as berth"}));

INSTANTIATE_TEST_SUITE_P(
    Servers, ControllerConfigRefuses,
    testing::Values(
        Mistake{"  certificates:\n    servers:\n    - {secret: a}",
                "f:6: controller.certificates.servers[0]: has neither service nor hosts; write the "
                "Service or the hosts by which clients reach the server"},
        Mistake{"  certificates:\n    servers:\n    - {secret: a, service: b}\n"
                "    - {secret: a, service: c}",
                "f:7: controller.certificates.servers[1].secret: \"a\" already holds another "
                "certificate; write another name"},
        Mistake{"  certificates:\n    servers:\n    - {secret: berth-ca, service: b}",
                "f:6: controller.certificates.servers[0].secret: \"berth-ca\" already holds "
                "another certificate; write another name"},
        Mistake{"  certificates:\n    servers: [{secret: a, service: b}]\n"
                "    clients: [{secret: a, name: c}]",
                "f:6: controller.certificates.clients[0].secret: \"a\" already holds another "
                "certificate; write another name"},
        Mistake{"  certificates:\n    servers: [{secret: a, service: b}]\n"
                "    clients: [{secret: c, name: C}]",
                "f:6: controller.certificates.clients[0].name: \"C\" is not the name of an object; "
                "write one such as berth-scheduler"},
        Mistake{"  certificates: {clients: [{secret: a, name: b}]}",
                "f:4: controller.certificates.clients: has no effect without "
                "controller.certificates.servers; set both"},
        Mistake{"  certificates: {webhooks: [berth]}",
                "f:4: controller.certificates.webhooks: has no effect without "
                "controller.certificates.servers; set both"},
        Mistake{"  activeChecks: [{name: a, image: b, condition: NobodyKnows}]",
                "f:4: controller.activeChecks[0].condition: health knows no condition "
                "\"NobodyKnows\", so that a check that fails would have no effect; give it one in "
                "health.conditions"},
        Mistake{"  activeChecks: [{name: a, image: b}]\nhealth: {staleAfter: 10m}",
                "f:4: controller.activeChecks[0].condition: \"GPURuntimeError\" goes stale before "
                "it is checked again; write staleAfter: 0s in its entry of health.conditions"},
        Mistake{"  activeChecks: [{name: a, image: b}]\n"
                "health: {staleAfter: 48h, unknownStatus: Exclude}",
                "f:4: controller.activeChecks[0].condition: \"GPURuntimeError\" goes stale on "
                "nodes that are busy for long, and health.unknownStatus Exclude would keep checks "
                "off them for ever; write staleAfter: 0s in its entry of health.conditions"},
        Mistake{"  activeChecks: [{name: a, image: b, accelerators: [A1000]}]",
                "f:4: controller.activeChecks[0].accelerators: \"A1000\" is no entry of "
                "accelerators; write the name of one"},
        Mistake{"  activeChecks: []\nplanner: {gangs: {preflight: {image: a, condition: Unheard}}}",
                "f:5: planner.gangs.preflight.condition: health knows no condition \"Unheard\", so "
                "that a check that fails would have no effect; give it one in health.conditions"},
        Mistake{"  evict: [{condition: NobodyKnows}]",
                "f:4: controller.evict[0].condition: health has no entry by which \"NobodyKnows\" "
                "excludes nodes; write one of its types, or add it to health.conditions"},
        Mistake{"  evict: [{condition: PCIeLinkDegraded}]",
                "f:4: controller.evict[0].condition: health has no entry by which "
                "\"PCIeLinkDegraded\" excludes nodes; write one of its types, or add it to "
                "health.conditions"},
        Mistake{"  evict: [{condition: GPUIsLost, after: 10s}]",
                "f:4: controller.evict[0].after: must be at least 1m, got 10s; write 10m"},
        Mistake{"  evict: [{condition: GPUIsLost, perMinute: 0}]",
                "f:4: controller.evict[0].perMinute: must be 1 or more, got 0; remove the item to "
                "evict nothing"},
        Mistake{"  evict: [{condition: GPUIsLost, maxShare: 2}]",
                "f:4: controller.evict[0].maxShare: must be above 0 and at most 1, got 2; write "
                "0.1 for a tenth of an accelerator's nodes"},
        Mistake{"  evict: [{condition: GPUIsLost}, {condition: GPUIsLost}]",
                "f:4: controller.evict[1].condition: \"GPUIsLost\" is listed before; remove one"},
        Mistake{"  avoidFor: 5s",
                "f:4: controller.avoidFor: must be 0s, for not at all, or at least 1m, got 5s; "
                "write 1h"},
        Mistake{"  lostNodes: {forceDeleteAfter: 30s}",
                "f:4: controller.lostNodes.forceDeleteAfter: must be 0s, for never, or at least "
                "1m, got 30s; write 15m"},
        Mistake{"  lostNodes: {forceDeleteAfter: -15m}",
                "f:4: controller.lostNodes.forceDeleteAfter: must be 0s, for never, or at least "
                "1m, got -15m; write 15m"},
        Mistake{"  idle: {enabled: true}",
                "f:4: controller.idle.enabled: needs prometheus.url: without measurements no "
                "device is known to be idle"},
        Mistake{"  idle: {every: 1s}",
                "f:4: controller.idle.every: must be from 1m to 24h, got 1s; write 5m"},
        Mistake{"  idle: {evictNotebooksAfter: 5s}",
                "f:4: controller.idle.evictNotebooksAfter: must be 0s, for never, or at least "
                "1m, got 5s; write 24h"},
        Mistake{"  idle: {evictNotebooksAfter: 1h, events: false}",
                "f:4: controller.idle.events: must be true with evictNotebooksAfter: nobody is "
                "evicted untold"},
        Mistake{"  idle: {perMinute: 0}",
                "f:4: controller.idle.perMinute: must be 1 or more, got 0; write "
                "evictNotebooksAfter: 0s to evict nothing"},
        Mistake{"  idle: {minAge: -1h}",
                "f:4: controller.idle.minAge: must not be negative; write 8h"},
        Mistake{"  repair: {maxShare: 0}",
                "f:4: controller.repair.maxShare: must be above 0 and at most 1, got 0; write 0.1 "
                "for a tenth of an accelerator's nodes"},
        Mistake{"  repair: {maxShare: 1.5}",
                "f:4: controller.repair.maxShare: must be above 0 and at most 1, got 1.5; write "
                "0.1 for a tenth of an accelerator's nodes"},
        Mistake{"  lostNodes: {maxShare: 0}",
                "f:4: controller.lostNodes.maxShare: must be above 0 and at most 1, got 0; write "
                "0.1 for a tenth of the nodes"},
        Mistake{"  lostNodes: {maxShare: 10}",
                "f:4: controller.lostNodes.maxShare: must be above 0 and at most 1, got 10; write "
                "0.1 for a tenth of the nodes"}));

TEST(ControllerConfigTest, TakesNamesAndAddressesAsHosts) {
  const auto errors = [](const std::string& host) {
    return BlockErrors("  certificates: {servers: [{secret: a, hosts: ['" + host + "']}]}");
  };
  for (const char* host : {"localhost", "gpu-1.example.org", "10.0.0.1", "::1", "fd00::7"}) {
    EXPECT_EQ(errors(host), "") << host;
  }
  for (const char* host : {"", "10.0.0.256", "10.0.0", "1", "fe80::1%eth0", "a b", "*.a.org",
                           "A.org", "localhost:8443", "https://a"}) {
    EXPECT_EQ(errors(host),
              "f:4: controller.certificates.servers[0].hosts[0]: \"" + std::string(host) +
                  "\" is neither a DNS name nor an IP address; write one such as localhost, "
                  "127.0.0.1 or \"::1\"");
  }
}

TEST(ControllerConfigTest, LeavesLongEnoughForARenewal) {
  const auto errors = [](const std::string& leaf, const std::string& authority) {
    return BlockErrors("  certificates:\n    validity: " + leaf +
                       "\n    authority: {validity: " + authority + "}");
  };
  EXPECT_EQ(errors("10s", "30s"), "");
  EXPECT_EQ(errors("2160h", "6480h"), "");
  for (const char* leaf : {"9s", "0s", "-1h", "876001h"}) {
    EXPECT_EQ(errors(leaf, "876000h"),
              "f:5: controller.certificates.validity: must be from 10s to 876000h, got " +
                  std::string(leaf) + "; write 2160h for 90 days");
  }
  for (const char* authority : {"6479h59m59s", "876000h1s"}) {
    EXPECT_EQ(errors("2160h", authority),
              "f:6: controller.certificates.authority.validity: must be from 6480h, three times "
              "controller.certificates.validity, to 876000h, got " +
                  std::string(authority) + "; write 87600h for ten years");
  }
}

}  // namespace
}  // namespace berth::config
