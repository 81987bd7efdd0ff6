#include "kube/exec_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "kube/kubeconfig_section.h"
#include "tests/integration/test_pki.h"

namespace berth::kube {
namespace {

/// What a plugin is told of a cluster that has this extension for it.
nlohmann::json ToldWith(const std::string& extension) {
  const berth::tests::TempDir folder;
  const std::string path = folder.Write(
      "config",
      "clusters: [{name: k, cluster: {server: 'https://k', extensions: [{name: "
      "client.authentication.k8s.io/exec" +
          extension +
          "}]}}]\n"
          "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
          "command: aws, provideClusterInfo: true}}}]\n");
  const auto files = KubeconfigFiles::Read({path});
  EXPECT_TRUE(files.ok()) << files.status();
  if (!files.ok()) return {};
  absl::Status status;
  const ExecPlugin plugin =
      ReadExecSection(files->Named("users", "user", "u", "test", status),
                      files->Named("clusters", "cluster", "k", "test", status));
  EXPECT_TRUE(status.ok()) << status;
  const auto& [name, value] = plugin.environment.back();
  EXPECT_EQ(name, "KUBERNETES_EXEC_INFO");
  return nlohmann::json::parse(value)["spec"]["cluster"];
}

TEST(ExecSection, AnExtensionHasTheTypesOfYaml) {
  const struct {
    const char* yaml;
    const char* json;
  } cases[] = {
      {"{a: 1, b: '1', c: 1.5, d: true, e: 'true', f: ~}",
       R"({"a": 1, "b": "1", "c": 1.5, "d": true, "e": "true", "f": null})"},
      {"[text, {z: [], a: {}}]", R"(["text", {"z": [], "a": {}}])"},
      {"{a: &x {b: [1]}, c: *x}", R"({"a": {"b": [1]}, "c": {"b": [1]}})"},
      {"text", R"("text")"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ToldWith(std::string(", extension: ") + test.yaml)["config"],
              nlohmann::json::parse(test.json))
        << test.yaml;
  }
}

// JSON has no such numbers. Some of these are words, too: a region may be called "nan".
TEST(ExecSection, WhatIsNoNumberInJsonStaysText) {
  for (const char* text : {"nan", "NaN", "inf", "-inf", "+inf", "infinity", ".nan", ".inf", "-.INF",
                           "1e999", "nan(0)"}) {
    EXPECT_EQ(ToldWith(std::string(", extension: {a: ") + text + "}")["config"]["a"], text);
  }
}

TEST(ExecSection, WithoutAnExtensionThereIsNoConfiguration) {
  for (const char* none : {"", ", extension: ~"}) {
    const nlohmann::json cluster = ToldWith(none);
    EXPECT_EQ(cluster["server"], "https://k");
    EXPECT_FALSE(cluster.contains("config")) << none;
  }
}

}  // namespace
}  // namespace berth::kube
