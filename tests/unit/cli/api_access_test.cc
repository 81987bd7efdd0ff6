#include "cli/api_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace berth::cli {
namespace {

using testing::HasSubstr;

class ApiAccessTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(home_ + "/.kube"); }
  void TearDown() override { std::filesystem::remove_all(home_); }

  // A kubeconfig of the contexts `a`, the current one, and `b`, whose servers have these ports.
  std::string Kubeconfig(const std::string& name, const std::string& a, const std::string& b) {
    const std::string path = home_ + "/" + name;
    std::ofstream(path)
        << "current-context: a\ncontexts:\n"
        << "- {name: a, context: {cluster: a}}\n- {name: b, context: {cluster: b}}\n"
        << "clusters:\n- {name: a, cluster: {server: 'http://127.0.0.1:" << a
        << "'}}\n- {name: b, cluster: {server: 'http://127.0.0.1:" << b << "'}}\n";
    return path;
  }

  kube::Environment Environment() {
    return [this](const std::string& name) { return variables_[name]; };
  }

  const std::string home_ = testing::TempDir() + "berth_api_access_" + std::to_string(getpid());
  std::map<std::string, std::string> variables_ = {{"HOME", home_}};
};

TEST_F(ApiAccessTest, ServersUseTheKubeconfigOfTheirConfiguration) {
  const std::string file = Kubeconfig("k", "1", "2");
  EXPECT_EQ(ServerAccess({file, ""}, Environment())->port, "1");
  EXPECT_EQ(ServerAccess({file, "b"}, Environment())->port, "2");
  const auto missing = ServerAccess({file, "c"}, Environment());
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("names \"c\""));
}

TEST_F(ApiAccessTest, ServersIgnoreWhatPeopleUse) {
  Kubeconfig(".kube/config", "1", "2");
  variables_["KUBECONFIG"] = Kubeconfig("k", "3", "4");
  const auto access = ServerAccess({}, Environment());
  EXPECT_THAT(std::string(access.status().message()),
              HasSubstr("kubernetes.kubeconfig is not set, and no API server"));
}

TEST_F(ApiAccessTest, PeopleAreServedAsByKubectl) {
  Kubeconfig(".kube/config", "1", "2");
  EXPECT_EQ(PersonAccess("", "", Environment())->port, "1");
  EXPECT_EQ(PersonAccess("", "b", Environment())->port, "2");
  variables_["KUBECONFIG"] = Kubeconfig("k", "3", "4");
  EXPECT_EQ(PersonAccess("", "", Environment())->port, "3");
  EXPECT_EQ(PersonAccess(Kubeconfig("l", "5", "6"), "", Environment())->port, "5");
}

TEST_F(ApiAccessTest, TheNamespaceIsThatOfTheContext) {
  EXPECT_EQ(PersonNamespace("", "", Environment()), "default");
  const std::string file = Kubeconfig("k", "1", "2");
  EXPECT_EQ(PersonNamespace(file, "", Environment()), "default");
  std::ofstream(file) << "current-context: a\ncontexts:\n"
                      << "- {name: a, context: {cluster: a, namespace: ml}}\n"
                      << "- {name: b, context: {cluster: a, namespace: team}}\n";
  EXPECT_EQ(PersonNamespace(file, "", Environment()), "ml");
  variables_["KUBECONFIG"] = file;
  EXPECT_EQ(PersonNamespace("", "b", Environment()), "team");
}

TEST_F(ApiAccessTest, ContextsAreThoseOfTheSameFile) {
  EXPECT_THAT(PersonContexts("", Environment()), testing::IsEmpty());
  Kubeconfig(".kube/config", "1", "2");
  EXPECT_THAT(PersonContexts("", Environment()), testing::ElementsAre("a", "b"));
  EXPECT_THAT(PersonContexts("/nonexistent", Environment()), testing::IsEmpty());
}

TEST_F(ApiAccessTest, PeopleWithoutAnythingAreToldSo) {
  EXPECT_FALSE(PersonAccess("", "", Environment()).ok());
}

}  // namespace
}  // namespace berth::cli
