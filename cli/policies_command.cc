#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "admission/static_policies.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/object_names.h"
#include "config/reader.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

using policies::admission::Mode;

struct PoliciesOptions {
  std::string config;
  std::string default_mode = "warn";
  std::vector<std::string> excluded;
};

constexpr const char* kPoliciesFooter =
    R"(Writes objects of admissionregistration.k8s.io/v1, for clusters of Kubernetes 1.36 and newer
in which no webhook shall be asked. Comments at the top say what they leave out.

  berth policies --config berth.yaml --exclude-namespace berth-system | kubectl apply -f -

Exit codes: 0 ok; 2 wrong usage or configuration.)";

Mode ModeOf(const std::string& name) {
  if (name == "off") return Mode::kOff;
  return name == "enforce" ? Mode::kEnforce : Mode::kWarn;
}

int PrintPolicies(const PoliciesOptions& options) {
  config::ConfigReading reading;
  if (!options.config.empty()) reading = config::ReadConfig(options.config);
  if (!reading.ok()) return Fail(reading.errors);
  admission::StaticScope scope{.unlabelled = ModeOf(options.default_mode)};
  const std::vector<std::string> excluded = NamespacesIn(options.excluded);
  scope.excluded.insert(scope.excluded.end(), excluded.begin(), excluded.end());
  const config::BerthConfiguration& config = reading.config;
  const auto catalog = process::MakeEngine(config).catalog;
  fmt::print("{}", admission::StaticPoliciesYaml({.catalog = *catalog,
                                                  .prefix = config.prefix,
                                                  .admission = config.admission.judgement},
                                                 scope));
  return kExitOk;
}

}  // namespace

void AddPoliciesCommand(Command berth) {
  Command policies = berth.AddCommand(
      "policies", "Write what kube-apiserver can do of the admission webhook by itself");
  const auto options = std::make_shared<PoliciesOptions>();
  policies.AddOption("--config", options->config,
                     "Configuration of `berth admission` (default: built in)");
  policies
      .AddOption("--default-mode", options->default_mode,
                 "Mode of namespaces without the label admission")
      .OneOf({"enforce", "warn", "off"});
  policies
      .AddRepeatable("--exclude-namespace", options->excluded,
                     "Namespaces that are left alone, besides kube-system, separated by "
                     "commas; may be given several times")
      .Checked(CheckNamespaceList);
  policies.Footer(kPoliciesFooter);
  policies.Run([options] { return PrintPolicies(*options); });
}

}  // namespace berth::cli
