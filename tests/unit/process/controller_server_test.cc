#include "process/controller_server.h"

#include <gtest/gtest.h>

#include "tests/integration/test_pki.h"

namespace berth::process {
namespace {

TEST(LeaseNamespace, IsTheConfiguredOneElseThePods) {
  const berth::tests::TempDir folder;
  const std::string file = folder.Write("namespace", "berth-system\n");
  config::BerthConfiguration config;
  EXPECT_EQ(*LeaseNamespace(config, file), "berth-system");
  config.controller.lease.namespace_name = "ml";
  EXPECT_EQ(*LeaseNamespace(config, file), "ml");
}

// The file is this pod's; the kubeconfig may lead elsewhere.
TEST(LeaseNamespace, HasToBeSetBesideAKubeconfigOrOutsideOfPods) {
  const berth::tests::TempDir folder;
  config::BerthConfiguration config;
  const auto outside = LeaseNamespace(config, folder.path() / "none");
  EXPECT_NE(outside.status().message().find("controller.lease.namespace: is not set"),
            absl::string_view::npos);
  config.kubernetes.kubeconfig = "kubeconfig";
  EXPECT_FALSE(LeaseNamespace(config, folder.Write("namespace", "ml")).ok());
}

}  // namespace
}  // namespace berth::process
