// What a pod needs of nodes besides resources, from JSON and from protobuf alike.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/field_values.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using model::HostPort;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A pod of that spec, which kube-scheduler or somebody else has nominated for n7.
model::Pod PodOf(const std::string& spec) {
  JsonParser parser;
  const auto root =
      parser.Parse(R"({"status": {"nominatedNodeName": "n7"}, "spec": )" + spec + "}");
  const auto pod = PodFromJson(root.value(), "Pod");
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.value_or(model::Pod());
}

model::Pod PodOf(const pb::PodSpec& spec) {
  pb::Pod message;
  *message.mutable_spec() = spec;
  message.mutable_status()->set_nominated_node_name("n7");
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(message)));
  EXPECT_TRUE(page.ok()) << page.status();
  return page->items.at(0);
}

// The same pod from both encodings.
model::Pod PodOf(const std::string& json, const std::function<void(pb::PodSpec&)>& fill) {
  pb::PodSpec spec;
  fill(spec);
  const model::Pod pod = PodOf(json);
  EXPECT_EQ(PodOf(spec), pod);
  return pod;
}

void AddPort(std::int32_t port, pb::Container& container) {
  container.add_ports()->set_host_port(port);
}

TEST(NodeNeeds, AreSelectorAndRequiredTerms) {
  const model::Pod pod = PodOf(
      R"({"nodeSelector": {"zone": "a"}, "affinity": {"nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1", "2"]}]},
            {"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]},
            {}]}}}})",
      [](pb::PodSpec& spec) {
        (*spec.mutable_node_selector())["zone"] = "a";
        pb::NodeSelector* selector =
            spec.mutable_affinity()
                ->mutable_node_affinity()
                ->mutable_required_during_scheduling_ignored_during_execution();
        pb::NodeSelectorRequirement* rack =
            selector->add_node_selector_terms()->add_match_expressions();
        rack->set_key("rack");
        rack->set_operator_("In");
        rack->add_values("1");
        rack->add_values("2");
        pb::NodeSelectorRequirement* name = selector->add_node_selector_terms()->add_match_fields();
        name->set_key("metadata.name");
        name->set_operator_("NotIn");
        name->add_values("n1");
        selector->add_node_selector_terms();
      });
  const std::vector<model::NodeSelectorTerm> terms = {
      {.expressions = {{"rack", "In", {"1", "2"}}}},
      {.expressions = {}, .fields = {{"metadata.name", "NotIn", {"n1"}}}},
      {.expressions = {}}};
  EXPECT_EQ(pod.needs, (model::NodeNeeds{.selector = {{"zone", "a"}}, .terms = terms}));
}

TEST(NodeNeeds, AListWithoutTermsIsNotAMissingOne) {
  const model::Pod pod = PodOf(
      R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}})",
      [](pb::PodSpec& spec) {
        spec.mutable_affinity()
            ->mutable_node_affinity()
            ->mutable_required_during_scheduling_ignored_during_execution();
      });
  ASSERT_TRUE(pod.needs.terms);
  EXPECT_THAT(*pod.needs.terms, IsEmpty());
  EXPECT_TRUE(PodOf("{}", [](pb::PodSpec&) {}).needs.empty());
}

TEST(NodeNeeds, AreForgottenOnceThePodIsBound) {
  const model::Pod pod =
      PodOf(R"({"nodeName": "n1", "nodeSelector": {"zone": "a"}})", [](pb::PodSpec& spec) {
        spec.set_node_name("n1");
        (*spec.mutable_node_selector())["zone"] = "a";
      });
  EXPECT_TRUE(pod.needs.empty());
}

TEST(Scheduler, IsReadWithGatesAndNominationUntilThePodIsBound) {
  const auto wait = [](pb::PodSpec& spec) {
    spec.set_scheduler_name("berth");
    spec.add_scheduling_gates()->set_name("example.com/quota");
    spec.add_scheduling_gates()->set_name("berth.dev/gang");
  };
  const std::string waiting =
      R"("schedulerName": "berth",
         "schedulingGates": [{"name": "example.com/quota"}, {"name": "berth.dev/gang"}])";
  const model::Pod pod = PodOf("{" + waiting + "}", wait);
  EXPECT_EQ(pod.scheduler, "berth");
  EXPECT_TRUE(pod.gated);
  EXPECT_THAT(pod.gates, ElementsAre("example.com/quota", "berth.dev/gang"));
  EXPECT_EQ(pod.nominated_node, "n7");

  const model::Pod bound =
      PodOf(R"({"nodeName": "n1", )" + waiting + "}", [&wait](pb::PodSpec& spec) {
        wait(spec);
        spec.set_node_name("n1");
      });
  EXPECT_EQ(bound.scheduler, "");
  EXPECT_FALSE(bound.gated);
  EXPECT_THAT(bound.gates, IsEmpty());
  EXPECT_EQ(bound.nominated_node, "");
}

TEST(Scheduler, ThePodGroupAndThePriorityClassAreReadUntilThePodIsBound) {
  const std::string waiting =
      R"("schedulingGroup": {"podGroupName": "berth-train"}, "priorityClassName": "high")";
  const auto wait = [](pb::PodSpec& spec) {
    spec.mutable_scheduling_group()->set_pod_group_name("berth-train");
    spec.set_priority_class_name("high");
  };
  const model::Pod pod = PodOf("{" + waiting + "}", wait);
  EXPECT_EQ(pod.scheduling_group, "berth-train");
  EXPECT_EQ(pod.priority_class, "high");
  const model::Pod bound =
      PodOf(R"({"nodeName": "n1", )" + waiting + "}", [&wait](pb::PodSpec& spec) {
        wait(spec);
        spec.set_node_name("n1");
      });
  EXPECT_EQ(bound.scheduling_group + bound.priority_class, "");
  EXPECT_EQ(PodOf("{}", [](pb::PodSpec&) {}).scheduling_group, "");
}

TEST(Scheduler, AnEmptyListOfGatesHoldsNothingBack) {
  EXPECT_FALSE(PodOf(R"({"schedulingGates": []})", [](pb::PodSpec&) {}).gated);
  EXPECT_FALSE(PodOf(R"({"schedulingGates": null})", [](pb::PodSpec&) {}).gated);
  EXPECT_EQ(PodOf("{}", [](pb::PodSpec&) {}).scheduler, "");
}

TEST(HostPorts, AreThoseOfContainersAndSidecars) {
  const model::Pod pod = PodOf(
      R"({"containers": [{"ports": [{"hostPort": 80, "protocol": "UDP", "hostIP": "10.0.0.1"},
                                     {"containerPort": 8080}]}],
          "initContainers": [{"ports": [{"hostPort": 81}]},
                             {"ports": [{"hostPort": 82}], "restartPolicy": "Always"}]})",
      [](pb::PodSpec& spec) {
        pb::Container* container = spec.add_containers();
        pb::ContainerPort* port = container->add_ports();
        port->set_host_port(80);
        port->set_protocol("UDP");
        port->set_host_ip("10.0.0.1");
        container->add_ports();
        AddPort(81, *spec.add_init_containers());
        pb::Container* sidecar = spec.add_init_containers();
        AddPort(82, *sidecar);
        sidecar->set_restart_policy("Always");
      });
  EXPECT_THAT(pod.host_ports,
              ElementsAre(HostPort{.protocol = "UDP", .ip = "10.0.0.1", .port = 80},
                          HostPort{.protocol = "TCP", .ip = "0.0.0.0", .port = 82}));
}

// Each is compared with those of other pods.
TEST(HostPorts, AreReadUpToANumber) {
  std::string ports;
  for (std::int32_t port = 1; port <= 1'000; ++port) {
    ports += (port == 1 ? "" : ",") + (R"({"hostPort": )" + std::to_string(port) + "}");
  }
  const model::Pod pod =
      PodOf(R"({"containers": [{"ports": [)" + ports + "]}]}", [](pb::PodSpec& spec) {
        pb::Container* container = spec.add_containers();
        for (std::int32_t port = 1; port <= 1'000; ++port) AddPort(port, *container);
      });
  EXPECT_EQ(pod.host_ports.size(), kMostHostPorts);
  EXPECT_EQ(pod.host_ports.back().port, static_cast<std::int32_t>(kMostHostPorts));
}

using Source = pb::VolumeSource;

TEST(AttachedVolumes, AreClaimsAndDisks) {
  const std::vector<std::pair<std::string, std::function<void(Source&)>>> attached = {
      {"persistentVolumeClaim", [](Source& source) { source.mutable_persistent_volume_claim(); }},
      {"ephemeral", [](Source& source) { source.mutable_ephemeral(); }},
      {"gcePersistentDisk", [](Source& source) { source.mutable_gce_persistent_disk(); }},
      {"awsElasticBlockStore", [](Source& source) { source.mutable_aws_elastic_block_store(); }},
      {"iscsi", [](Source& source) { source.mutable_iscsi(); }},
      {"rbd", [](Source& source) { source.mutable_rbd(); }},
      {"cinder", [](Source& source) { source.mutable_cinder(); }},
      {"azureFile", [](Source& source) { source.mutable_azure_file(); }},
      {"azureDisk", [](Source& source) { source.mutable_azure_disk(); }},
      {"vsphereVolume", [](Source& source) { source.mutable_vsphere_volume(); }},
      {"portworxVolume", [](Source& source) { source.mutable_portworx_volume(); }}};
  for (const auto& [name, set] : attached) {
    const model::Pod pod = PodOf(
        R"({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", ")" + name + R"(": {}}]})",
        [&set = set](pb::PodSpec& spec) {
          spec.add_volumes()->mutable_volume_source();
          set(*spec.add_volumes()->mutable_volume_source());
        });
    EXPECT_TRUE(pod.attached_volumes) << name;
  }
  EXPECT_FALSE(PodOf(R"({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "csi": {}}]})",
                     [](pb::PodSpec& spec) { spec.add_volumes(); })
                   .attached_volumes);
}

}  // namespace
}  // namespace berth::kube
