#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "doctor/checks/all.h"
#include "doctor/gather.h"
#include "doctor/rights.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(CheckRights, TellsOnesOwnFromThoseOfBerth) {
  Facts facts = NoFacts();
  facts.rights = std::vector<RightFacts>{{"", "list pods", true}, {"sa", "list nodes", true}};
  EXPECT_EQ(Only(checks::Rights().run(facts, DefaultRules().rules())).severity, Severity::kOk);
  facts.rights = std::vector<RightFacts>{
      {"", "list pods", false}, {"sa", "list nodes", false}, {"sa", "patch nodes", false}};
  const Findings found = checks::Rights().run(facts, DefaultRules().rules());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].severity, Severity::kUnknown);
  EXPECT_EQ(found[0].what, "you may not list pods");
  EXPECT_EQ(found[1].severity, Severity::kProblem);
  EXPECT_EQ(found[1].what, "sa may not list nodes and patch nodes");
}

constexpr const char* kDeployments =
    "GET /apis/apps/v1/namespaces/berth-system/deployments"
    "?labelSelector=app.kubernetes.io%2Finstance%3Dberth&limit=250";
constexpr const char* kSelf = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
constexpr const char* kOthers = "POST /apis/authorization.k8s.io/v1/subjectaccessreviews";

std::string Deployment(const std::string& component) {
  return Json{{"metadata", {{"labels", {{"app.kubernetes.io/component", component}}}}},
              {"spec", {{"template", {{"spec", {{"serviceAccountName", "berth-" + component}}}}}}}}
      .dump();
}

class Gathering : public ::testing::Test {
 protected:
  Gathering() {
    transport_.Script(kDeployments, R"({"items":[)" + Deployment("controller") + "," +
                                        Deployment("admission") + "," + Deployment("extender") +
                                        "]}");
    transport_.Script(kSelf, R"({"status":{"allowed":true}})");
    transport_.Script(kOthers, R"({"status":{"allowed":false}})");
  }

  absl::StatusOr<std::vector<RightFacts>> Gather() {
    kube::Api api(&transport_);
    const Questions questions{
        .processes = {
            {"extender", {{{"", "pods", "watch"}}}},
            {"controller",
             {{{"", "nodes", "patch"}},
              {{"coordination.k8s.io", "leases", "update"}, "berth-system", "berth-controller"}}}}};
    return GatherRights(api, questions, {{{"", "pods/proxy", "get"}, "berth-system"}});
  }

  // The reviews that were asked for, by user.
  std::vector<Json> Reviews(const std::string& user) const {
    std::vector<Json> specs;
    for (const std::string& body : transport_.bodies) {
      if (body.empty()) continue;
      const Json spec = Json::parse(body).at("spec");
      if (spec.value("user", "") == user) specs.push_back(spec.at("resourceAttributes"));
    }
    return specs;
  }

  ScriptedTransport transport_;
};

TEST_F(Gathering, AsksForThisPersonAndForEveryServiceAccount) {
  const auto rights = Gather();
  ASSERT_TRUE(rights.ok()) << rights.status();
  EXPECT_EQ(rights->front().user, "");
  EXPECT_EQ(rights->front().what, "get pods/proxy in namespace berth-system");
  EXPECT_TRUE(rights->front().allowed);
  EXPECT_FALSE(rights->back().allowed);
  EXPECT_THAT(Reviews(""), Contains(Json{{"group", ""},
                                         {"resource", "pods"},
                                         {"subresource", "proxy"},
                                         {"verb", "get"},
                                         {"namespace", "berth-system"}}));
  const auto controllers = Reviews("system:serviceaccount:berth-system:berth-controller");
  EXPECT_THAT(controllers, Contains(Json{{"group", ""}, {"resource", "nodes"}, {"verb", "patch"}}));
  EXPECT_THAT(controllers, Contains(Json{{"group", "coordination.k8s.io"},
                                         {"resource", "leases"},
                                         {"verb", "update"},
                                         {"namespace", "berth-system"},
                                         {"name", "berth-controller"}}));
  const auto extenders = Reviews("system:serviceaccount:berth-system:berth-extender");
  EXPECT_THAT(extenders, Contains(Json{{"group", ""}, {"resource", "pods"}, {"verb", "watch"}}));
  EXPECT_THAT(
      extenders,
      ::testing::Not(Contains(Json{{"group", ""}, {"resource", "nodes"}, {"verb", "patch"}})));
  EXPECT_TRUE(Reviews("system:serviceaccount:berth-system:berth-admission").empty());
}

TEST_F(Gathering, SaysWhatKeepsItFromAsking) {
  transport_.Script(kOthers, Forbidden());
  EXPECT_EQ(Gather().status().message(), "no right to create subjectaccessreviews");
  transport_.Script(kDeployments, R"({"items":[]})");
  EXPECT_THAT(std::string(Gather().status().message()),
              HasSubstr("nothing of release berth is deployed in namespace berth-system"));
}

TEST(DoctorRoles, AreOneForEachNamespace) {
  const Place place{.namespace_name = "gpu", .trial_namespace = "trial"};
  const std::string yaml = DoctorRolesYaml(
      {Source::kNodes, Source::kFilterTrial, Source::kSecrets, Source::kWebhookTrial}, place);
  EXPECT_EQ(yaml,
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n"
            "  name: berth-doctor\nrules:\n- apiGroups: [\"\"]\n  resources: [nodes]\n"
            "  verbs: [list]\n---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
            "  name: berth-doctor\n  namespace: \"gpu\"\nrules:\n- apiGroups: [\"\"]\n"
            "  resources: [secrets]\n  verbs: [get]\n---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
            "  name: berth-doctor\n  namespace: \"trial\"\nrules:\n- apiGroups: [\"\"]\n"
            "  resources: [pods]\n  verbs: [create]\n");
}

}  // namespace
}  // namespace berth::doctor
