#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/gang_output.h"
#include "cli/gang_report.h"
#include "cli/output.h"
#include "kube/http_client.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

constexpr const char* kGangsFooter =
    R"(A gang is a set of pods that run all together or not at all. BOUND counts its pods that are bound or have
succeeded, RESERVED those for which a node is kept, WAITING the others that are there; all together they
may be fewer than SIZE. WHY is what the controller says, or that nobody plans a pod, because one cannot read
to which gang it belongs; if it names none, the line has - as GANG. The answer is what the API server has
stored: whether a controller runs is not known here. `berth explain --gang NAMESPACE/NAME` shows the pods of
a gang. docs/kubectl.md describes -o json and yaml.

Needs the right to list pods, where pods wait for PodGroups also these, and nodes for -o wide, json and
yaml of gangs that must share a label of their nodes.
Exit codes: 0 ok, also if there is no gang; 1 the API server did not answer or refused; 2 wrong usage or
files.)";

struct GangsArguments {
  ApiOptions api;
  std::string config_file;
  OutputOptions output;
};

std::string NothingFound(const std::string& namespace_name) {
  return namespace_name.empty() ? "no gangs in any namespace\n"
                                : fmt::format("no gangs in namespace {}\n", namespace_name);
}

absl::Status ShowGangs(const GangsArguments& arguments) {
  const auto config = LoadConfig(arguments.config_file);
  if (!config.ok()) return config.status();
  const auto access = AccessOf(arguments.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*access);
  const std::string namespace_name = NamespaceOf(arguments.api);
  auto reports = ReadGangs(namespace_name, model::GangNames(config->prefix), client);
  if (!reports.ok()) return reports.status();
  if (arguments.output.format != "table") {
    // Without it the table says less, and all that it says is true.
    const absl::Status added = AddDomains(client, *reports);
    if (!added.ok()) PrintHint(fmt::format("domains: {}", std::string(added.message())));
  }
  PrintAnswer(
      arguments.output, [&] { return GangsJson(*reports); },
      [&](const TableStyle& style) {
        return reports->empty() ? NothingFound(namespace_name)
                                : GangsTable(*reports, process::Now(), style);
      });
  return absl::OkStatus();
}

int RunGangs(const GangsArguments& arguments) {
  const absl::Status shown = ShowGangs(arguments);
  return shown.ok() ? kExitOk : Fail("gangs", shown);
}

}  // namespace

void AddGangsCommand(Command berth) {
  Command gangs =
      berth.AddCommand("gangs", "List gangs: how far each is, on which nodes, and why it waits");
  const auto arguments = std::make_shared<GangsArguments>();
  const Argument in =
      AddNamespaceOption(gangs, arguments->api.namespace_name,
                         "Namespace whose gangs are listed (default: that of the context)");
  AddAllNamespacesOption(gangs, arguments->api, in);
  AddApiOptions(gangs, arguments->api);
  gangs.AddOption("--config", arguments->config_file,
                  "Berth's configuration, for the prefix of its annotations (default: built in)");
  AddOutputOption(gangs, arguments->output);
  gangs.Footer(kGangsFooter);
  gangs.Run([arguments] { return RunGangs(*arguments); });
}

}  // namespace berth::cli
