#include "doctor/gather.h"
#include "doctor/checks/all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GatherTest : public ::testing::Test {
 protected:
  ScriptedTransport transport_;
  absl::StatusOr<std::vector<PodFacts>> Pods() {
    return GatherPods(api_, "berth.dev", unreadable_);
  }

  kube::Api api_{&transport_};
  std::vector<kube::UnreadableObject> unreadable_;
  std::set<std::string> labelled_late_;
};

constexpr const char* kPods = "GET /api/v1/pods?limit=250";

// The pod with further members of its metadata and its spec.
std::string Pod(const std::string& name, const std::string& metadata = "",
                const std::string& spec = "") {
  return R"({"metadata":{"namespace":"ml","name":")" + name + "\"" + metadata +
         R"(},"spec":{"nodeName":"n1","schedulerName":"berth","containers":[{"name":"c",)"
         R"("resources":{"requests":{"nvidia.com/gpu":"2"}}}])" +
         spec + "}}";
}

TEST_F(GatherTest, PodsPageByPageAndWithoutThoseThatHaveEnded) {
  transport_.Script(kPods, R"({"metadata":{"continue":"next&"},"items":[)" + Pod("a") + "]}");
  transport_.Script("GET /api/v1/pods?limit=250&continue=next%26",
                    R"({"items":[{"metadata":{"namespace":"ml","name":"done"},"spec":{},)"
                    R"("status":{"phase":"Succeeded"}},)" +
                        Pod("b") + "]}");
  const auto pods = Pods();
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 2U);
  const PodFacts& pod = pods->front();
  EXPECT_EQ(pod.FullName(), "ml/a");
  EXPECT_EQ(pod.node, "n1");
  EXPECT_EQ(pod.scheduler, "berth");
  EXPECT_EQ(pod.requests.Get("nvidia.com/gpu"), 2);
  EXPECT_FALSE(pod.created_bound);
  EXPECT_FALSE(pod.mirror);
  EXPECT_EQ(pod.needs, nullptr);
}

TEST_F(GatherTest, WhatDistinguishesAPod) {
  transport_.Script(
      kPods,
      R"({"items":[)" +
          Pod("a",
              R"(,"annotations":{"berth.dev/accelerator-memory":"40Gi","berth.dev/checkpoint":"x",)"
              R"("kubernetes.io/config.mirror":"1"},)"
              R"("ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}],)"
              R"("managedFields":[{"fieldsV1":{"f:metadata":{}}},)"
              R"({"fieldsV1":{"f:spec":{"f:nodeName":{}}}}])",
              R"(,"nodeSelector":{"zone":"a"})") +
          "," + Pod("b", "", R"(,"nodeSelector":{"zone":"a"})") + "," +
          Pod("c", R"(,"managedFields":[{"fieldsV1":{"f:spec":{"f:containers":{}}}}])",
              R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}})") +
          "]}");
  const auto pods = Pods();
  ASSERT_TRUE(pods.ok()) << pods.status();
  const PodFacts& first = pods->at(0);
  EXPECT_TRUE(first.created_bound);
  EXPECT_TRUE(first.mirror);
  EXPECT_EQ(first.owner, "DaemonSet");
  EXPECT_EQ(first.memory_minimum, "40Gi");
  EXPECT_EQ(first.checkpoint, "x");
  EXPECT_EQ(*first.needs, (model::NodeNeeds{.selector = {{"zone", "a"}}}));
  EXPECT_EQ(first.needs, pods->at(1).needs) << "pods of one shape share it";
  EXPECT_FALSE(pods->at(2).created_bound);
  ASSERT_NE(pods->at(2).needs, nullptr);
  EXPECT_EQ(pods->at(2).needs->terms->size(), 1U);
}

TEST_F(GatherTest, WhenADeletedPodShouldBeGoneAndWhoseJobItIs) {
  transport_.Script(kPods,
                    R"({"items":[)" +
                        Pod("a", R"(,"deletionTimestamp":"2026-01-31T12:00:00Z","ownerReferences":)"
                                 R"([{"apiVersion":"batch/v1","kind":"Job","name":"train",)"
                                 R"("controller":true}])") +
                        "," + Pod("b") + "]}");
  const auto pods = Pods();
  ASSERT_TRUE(pods.ok()) << pods.status();
  EXPECT_EQ(pods->at(0).deleted, model::Time(std::chrono::seconds(1'769'860'800)));
  EXPECT_EQ(pods->at(0).job, "train");
  EXPECT_EQ(pods->at(1).deleted, model::kNoTime);
}

TEST_F(GatherTest, ErrorsSayWhatThereIsNoRightTo) {
  transport_.Script(kPods, Forbidden());
  EXPECT_EQ(Pods().status().message(), "no right to list pods");
  transport_.Script("GET /api/v1/namespaces/berth-system/secrets/s", Forbidden());
  EXPECT_EQ(GatherSecret(api_, "berth-system", "s").status().message(),
            "no right to get secrets in namespace berth-system");
}

TEST_F(GatherTest, WhatIsNoListIsAnError) {
  for (const char* body : {"<html>", R"({"items":{}})"}) {
    transport_.Script(kPods, body);
    EXPECT_TRUE(absl::IsUnavailable(Pods().status())) << body;
  }
}

TEST_F(GatherTest, WhichNodesTheControllerHasLabelled) {
  const auto node = [](const std::string& name, const std::string& manager,
                       const std::string& field) {
    return R"({"metadata":{"name":")" + name + R"(","managedFields":[{"manager":")" + manager +
           R"(","fieldsV1":{"f:metadata":{")" + field + R"(":{"f:berth.dev/accelerator":{}}}}}]}})";
  };
  transport_.Script("GET /api/v1/nodes?limit=250",
                    R"({"items":[)" + node("late", "berth", "f:labels") + "," +
                        node("at-join", "kubelet", "f:labels") + "," +
                        node("annotated", "berth", "f:annotations") + "]}");
  ASSERT_TRUE(GatherNodes(api_, unreadable_, labelled_late_).ok());
  EXPECT_THAT(labelled_late_, ElementsAre("late"));
}

TEST_F(GatherTest, NodesNamespacesAndClaims) {
  transport_.Script("GET /api/v1/nodes?limit=250",
                    R"({"items":[{"metadata":{"name":"n1","labels":{"a":"b"}}}]})");
  const auto nodes = GatherNodes(api_, unreadable_, labelled_late_);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->at(0).name, "n1");
  transport_.Script("GET /api/v1/namespaces?limit=250",
                    R"({"items":[{"metadata":{"name":"ml","labels":{"a":"b"}}}]})");
  const auto namespaces = GatherNamespaces(api_);
  ASSERT_TRUE(namespaces.ok());
  EXPECT_EQ(namespaces->at(0).name, "ml");
  EXPECT_EQ(model::Find(namespaces->at(0).labels, "a"), "b");
  transport_.Script("GET /api/v1/persistentvolumeclaims?limit=250",
                    R"({"items":[{"metadata":{"name":"c","namespace":"ml"},)"
                    R"("spec":{"accessModes":["ReadWriteOnce","ReadWriteMany"]}}]})");
  const auto claims = GatherClaims(api_);
  ASSERT_TRUE(claims.ok());
  EXPECT_THAT(claims->at(0).access_modes, ElementsAre("ReadWriteOnce", "ReadWriteMany"));
}

TEST_F(GatherTest, AnOddObjectDoesNotTakeTheOthersWithIt) {
  transport_.Script("GET /api/v1/nodes?limit=250",
                    R"({"items":[{"metadata":{"name":"odd"},"status":{"capacity":{"cpu":"many"}}},)"
                    R"({"metadata":{"name":"n1"}}]})");
  const auto nodes = GatherNodes(api_, unreadable_, labelled_late_);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->at(0).name, "n1");
  transport_.Script(kPods, R"({"items":[{"metadata":{"namespace":"ml","name":"p"},"spec":[]},)" +
                               Pod("a") + "]}");
  const auto pods = Pods();
  ASSERT_TRUE(pods.ok()) << pods.status();
  EXPECT_EQ(pods->size(), 1U);
  ASSERT_EQ(unreadable_.size(), 2U);
  EXPECT_EQ(kube::FullNameOf(unreadable_[0]), "odd");
  EXPECT_THAT(unreadable_[0].error, HasSubstr("items[0].status.capacity[\"cpu\"]: \"many\""));
  EXPECT_EQ(kube::FullNameOf(unreadable_[1]), "ml/p");
}

TEST_F(GatherTest, DaemonSetsAndWhereTheirPodsRun) {
  const std::string path = "GET /apis/apps/v1/daemonsets?limit=250";
  transport_.Script(
      path, R"({"items":[{"metadata":{"namespace":"gpu","name":"plugin"},"spec":{"template":)"
            R"({"metadata":{},"spec":{"nodeSelector":{"gpu":"true"},"tolerations":)"
            R"([{"key":"berth.dev/excluded","operator":"Exists"}],"containers":[]}}}}]})");
  const auto sets = GatherDaemonSets(api_);
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_EQ(sets->size(), 1U);
  EXPECT_EQ(sets->at(0).FullName(), "gpu/plugin");
  EXPECT_EQ(sets->at(0).needs, (model::NodeNeeds{.selector = {{"gpu", "true"}}}));
  EXPECT_THAT(sets->at(0).tolerations,
              ElementsAre(model::Toleration{.key = "berth.dev/excluded", .op = "Exists"}));
  transport_.Script(path, Forbidden());
  EXPECT_EQ(GatherDaemonSets(api_).status().message(), "no right to list daemonsets");
}

TEST_F(GatherTest, DeviceClasses) {
  const std::string path = "GET /apis/resource.k8s.io/v1/deviceclasses?limit=250";
  transport_.Script(path, R"({"items":[{"metadata":{"name":"gpu"},)"
                          R"("spec":{"extendedResourceName":"nvidia.com/gpu"}},)"
                          R"({"metadata":{"name":"nic"},"spec":{}}]})");
  const auto classes = GatherDeviceClasses(api_);
  ASSERT_TRUE(classes.ok()) << classes.status();
  ASSERT_EQ(classes->size(), 2U);
  EXPECT_EQ(classes->at(0).name, "gpu");
  EXPECT_EQ(classes->at(0).resource, "nvidia.com/gpu");
  EXPECT_EQ(classes->at(1).resource, "");
  transport_.Script(path, Forbidden());
  EXPECT_EQ(GatherDeviceClasses(api_).status().message(), "no right to list deviceclasses");
}

TEST_F(GatherTest, AnApiServerWithoutDeviceClassesHasNone) {
  const auto classes = GatherDeviceClasses(api_);
  ASSERT_TRUE(classes.ok()) << classes.status();
  EXPECT_TRUE(classes->empty());
}

TEST_F(GatherTest, AServiceWithoutNone) {
  transport_.Script("GET /api/v1/namespaces/ns/services/s",
                    R"({"spec":{"clusterIPs":["10.0.0.1","fd00::1"]}})");
  EXPECT_THAT(GatherService(api_, "ns", "s")->cluster_ips, ElementsAre("10.0.0.1", "fd00::1"));
  transport_.Script("GET /api/v1/namespaces/ns/services/s", R"({"spec":{"clusterIPs":["None"]}})");
  EXPECT_TRUE(GatherService(api_, "ns", "s")->cluster_ips.empty());
  EXPECT_TRUE(absl::IsNotFound(GatherService(api_, "ns", "other").status()));
}

TEST_F(GatherTest, ASecretWithoutItsKey) {
  transport_.Script("GET /api/v1/namespaces/ns/secrets/s",
                    R"({"data":{"tls.crt":"Y2VydA==","tls.key":"a2V5","ca.crt":"Y2E="}})");
  const auto secret = GatherSecret(api_, "ns", "s");
  ASSERT_TRUE(secret.ok());
  EXPECT_TRUE(secret->exists);
  EXPECT_EQ(secret->chain, "cert");
  EXPECT_EQ(secret->authorities, "ca");
  const auto missing = GatherSecret(api_, "ns", "other");
  ASSERT_TRUE(missing.ok()) << "that it is missing is known";
  EXPECT_FALSE(missing->exists);
}

TEST_F(GatherTest, WhoLeads) {
  transport_.Script("GET /apis/coordination.k8s.io/v1/namespaces/ns/leases/l",
                    R"({"spec":{"holderIdentity":"berth-controller-0",)"
                    R"("renewTime":"2026-05-28T20:26:40.250000Z"}})");
  const auto leader = GatherLeader(api_, "ns", "l");
  ASSERT_TRUE(leader.ok()) << leader.status();
  EXPECT_TRUE(leader->exists);
  EXPECT_EQ(leader->holder, "berth-controller-0");
  EXPECT_EQ(leader->renewed, kNow);
  const auto missing = GatherLeader(api_, "ns", "other");
  ASSERT_TRUE(missing.ok()) << "that it is missing is known";
  EXPECT_FALSE(missing->exists);
}

TEST_F(GatherTest, AConfigMapsText) {
  transport_.Script("GET /api/v1/namespaces/ns/configmaps/c", R"({"data":{"config.yaml":"a: b"}})");
  EXPECT_EQ(*GatherConfigMap(api_, "ns", "c", "config.yaml"), "a: b");
  EXPECT_EQ(GatherConfigMap(api_, "ns", "c", "other").status().message(),
            "ConfigMap ns/c has no key other");
}

TEST_F(GatherTest, WebhookConfigurations) {
  transport_.Script(
      "GET /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/berth",
      R"({"webhooks":[{"name":"enforce","failurePolicy":"Ignore","clientConfig":{"caBundle":"Y2E=",)"
      R"("service":{"name":"berth-admission"}},"namespaceSelector":{"matchLabels":{"a":"b"},)"
      R"("matchExpressions":[{"key":"k","operator":"NotIn","values":["v"]}]}}]})");
  const auto webhooks = GatherWebhooks(api_, "berth");
  ASSERT_TRUE(webhooks.ok()) << webhooks.status();
  ASSERT_EQ(webhooks->size(), 2U);
  const WebhookFacts& webhook = webhooks->at(0).webhooks.at(0);
  EXPECT_EQ(webhook.authorities, "ca");
  EXPECT_EQ(webhook.service, "berth-admission");
  EXPECT_EQ(webhook.namespaces,
            (LabelSelector{.labels = {{"a", "b"}}, .expressions = {{"k", "NotIn", {"v"}}}}));
  EXPECT_TRUE(webhooks->at(0).exists);
  EXPECT_FALSE(webhooks->at(1).exists);
}

TEST_F(GatherTest, SnapshotsOfEveryExtender) {
  transport_.Script(
      "GET /api/v1/namespaces/berth-system/pods?labelSelector=app.kubernetes.io%2Finstance%3Dberth"
      "%2Capp.kubernetes.io%2Fcomponent%3Dextender&limit=250",
      R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}},)"
      R"({"metadata":{"name":"d"}}]})");
  const std::string pods = "GET /api/v1/namespaces/berth-system/pods/";
  transport_.Script(pods + "a:9090/proxy/metrics",
                    "# HELP berth_snapshot_age_seconds x\nberth_snapshot_synced 1\n"
                    "berth_snapshot_age_seconds{kind=\"nodes\"} 2.5\n"
                    "berth_snapshot_age_seconds{kind=\"pods\"} 7\nberth_snapshot_age 9\n"
                    "berth_quarantined_objects{kind=\"nodes\"} 2\n"
                    "berth_quarantined_objects{kind=\"pods\"} 1\n");
  transport_.Script(pods + "b:9090/proxy/metrics",
                    "berth_snapshot_synced 0\nberth_snapshot_age_seconds{kind=\"nodes\"} 2\n");
  transport_.Script(pods + "c:9090/proxy/metrics", Forbidden());
  const auto snapshots = GatherSnapshots(transport_, Place(), "9090");
  ASSERT_TRUE(snapshots.ok()) << snapshots.status();
  ASSERT_EQ(snapshots->size(), 4U);
  EXPECT_EQ(snapshots->at(0).age_seconds, 7);
  EXPECT_EQ(snapshots->at(0).quarantined, 3);
  EXPECT_EQ(snapshots->at(1).age_seconds, std::nullopt);
  EXPECT_EQ(snapshots->at(1).unreachable, "");
  EXPECT_THAT(snapshots->at(2).unreachable, HasSubstr("no right to get pods/proxy"));
  EXPECT_THAT(snapshots->at(3).unreachable, HasSubstr("404"));
}

TEST_F(GatherTest, OnlyWhatIsAskedFor) {
  const DefaultRules rules;
  Facts facts = NoFacts();
  Gather({Source::kNodes}, Questions(), rules.rules(), transport_, facts);
  EXPECT_THAT(transport_.requests, ElementsAre("GET /api/v1/nodes?limit=250"));
  EXPECT_TRUE(absl::IsNotFound(facts.nodes.status()));
  EXPECT_THAT(std::string(facts.pods.status().message()), HasSubstr("was not gathered"));
}

TEST_F(GatherTest, WithoutAnExtenderNothingIsTried) {
  const DefaultRules rules;
  Facts facts = NoFacts();
  Gather({Source::kFilterTrial}, Questions(), rules.rules(), transport_, facts);
  EXPECT_TRUE(absl::IsFailedPrecondition(facts.filter_trial.status()));
  EXPECT_THAT(std::string(facts.filter_trial.status().message()), HasSubstr("--extender"));
}

TEST_F(GatherTest, EverySourceSaysWhatItNeeds) {
  for (const Check& check : checks::All()) {
    for (const Source source : check.needs) EXPECT_FALSE(NeedsOf(source, Place()).empty());
  }
  EXPECT_EQ(kube::ToString(NeedsOf(Source::kSecrets, Place()).front()),
            "get secrets in namespace berth-system");
}

}  // namespace
}  // namespace berth::doctor
