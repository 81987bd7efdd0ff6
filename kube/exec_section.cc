#include "kube/exec_section.h"

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "yaml/json.h"

// client-go's ExecConfig and Cluster:
// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ and
// https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/client-go/tools/clientcmd/api/v1/types.go

namespace berth::kube {
namespace {

// Not ordered_json, which takes quadratic time for the many keys that an extension may have.
using ExecJson = nlohmann::json;

constexpr char kExecV1[] = "client.authentication.k8s.io/v1";
constexpr char kExecBeta[] = "client.authentication.k8s.io/v1beta1";
// The name of what a plugin is told of the cluster beyond how to reach it.
constexpr char kExtension[] = "client.authentication.k8s.io/exec";

ExecJson ClusterInfo(const Section& cluster) {
  ExecJson info = {{"server", cluster.Text("server")}};
  for (const char* key : {"tls-server-name", "proxy-url"}) {
    if (cluster.Has(key)) info[key] = cluster.Text(key);
  }
  for (const char* key : {"insecure-skip-tls-verify", "disable-compression"}) {
    if (cluster.Flag(key)) info[key] = true;
  }
  const auto authority = cluster.Credential("certificate-authority").Read();
  if (authority.ok() && !authority->empty()) {
    info["certificate-authority-data"] = absl::Base64Escape(*authority);
  }
  for (const Section& extension : cluster.Items("extensions")) {
    if (extension.Text("name") != kExtension || !extension.Has("extension")) continue;
    info["config"] = ExecJson::parse(yaml::JsonTextOf(extension.Map("extension").node()));
  }
  return info;
}

// What the plugin reads in $KUBERNETES_EXEC_INFO.
std::string InfoFor(const Section& exec, const Section& cluster) {
  ExecJson spec = {{"interactive", false}};
  if (exec.Flag("provideClusterInfo")) spec["cluster"] = ClusterInfo(cluster);
  const ExecJson info = {
      {"kind", "ExecCredential"}, {"apiVersion", exec.Text("apiVersion")}, {"spec", spec}};
  return info.dump(-1, ' ', false, ExecJson::error_handler_t::replace);
}

void CheckPlugin(const Section& exec, const ExecPlugin& plugin) {
  if (plugin.command.empty()) exec.Fail("command", "is empty; name the program that logs you in");
  if (plugin.api_version != kExecV1 && plugin.api_version != kExecBeta) {
    exec.Fail("apiVersion", fmt::format("is \"{}\"; Berth runs plugins of {} and of v1beta1",
                                        plugin.api_version, kExecV1));
  }
  const std::string mode = exec.Text("interactiveMode");
  if (mode == "Always") {
    exec.Fail("interactiveMode",
              "is Always, but Berth gives plugins no terminal to ask on; write IfAvailable if the "
              "plugin can do without once you have logged in, or use a token");
  } else if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    exec.Fail("interactiveMode", fmt::format("is \"{}\"; write Never or IfAvailable", mode));
  }
}

}  // namespace

ExecPlugin ReadExecSection(const Section& user, const Section& cluster) {
  const Section exec = user.Map("exec");
  ExecPlugin plugin{.command = exec.Text("command"),
                    .arguments = exec.Texts("args"),
                    .environment = {},
                    .api_version = exec.Text("apiVersion"),
                    .install_hint = exec.Text("installHint")};
  CheckPlugin(exec, plugin);
  // As in kubectl, a name alone is looked for in $PATH, and everything else from the file.
  if (plugin.command.find('/') != std::string::npos) plugin.command = exec.Below(plugin.command);
  for (const Section& variable : exec.Items("env")) {
    plugin.environment.emplace_back(variable.Text("name"), variable.Text("value"));
  }
  plugin.environment.emplace_back("KUBERNETES_EXEC_INFO", InfoFor(exec, cluster));
  return plugin;
}

}  // namespace berth::kube
