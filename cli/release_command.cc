#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "cli/api_access.h"
#include "cli/api_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/release.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "kube/http_client.h"

namespace berth::cli {

namespace {

constexpr const char* kReleaseFooter =
    R"(For gangs that wait although they should not, for clusters whose controller is gone, and for the time
after `helm uninstall`, when the chart runs it with --all. Each pod is then scheduled by itself, so a part
of the gang may run without the rest. To stop planning gangs, set planner.gangs.enabled to false instead:
the controller then takes all gates away.

Needs the rights to list and to patch pods, and to create and to patch PodGroups where pods wait for these.
Exit codes: 0 no such pod has the gate any more; 1 some have, there is no such gang, or no answer; 2 wrong
usage.)";

struct ReleaseArguments {
  std::string gang;
  bool all = false;
  bool dry_run = false;
  std::string kubeconfig;
  std::string context;
  std::string prefix = config::BerthConfiguration().prefix;
};

int ReportReleased(const std::string& gate, const Released& released, bool dry_run) {
  int exit_code = kExitOk;
  for (const auto& [pod, status] : released) {
    if (status.ok() && pod.starts_with("PodGroup ")) {
      fmt::print("{}: {}\n", pod, dry_run ? "would be created" : "is there");
    } else if (status.ok()) {
      fmt::print("{}: {} the gate {}\n", pod, dry_run ? "would remove" : "removed", gate);
    } else {
      fmt::print(stderr, "{}: {}\n", pod, Printable(std::string(status.message())));
      exit_code = kExitNo;
    }
  }
  if (released.empty()) fmt::print("no such pod has the gate {}\n", gate);
  return exit_code;
}

int Release(const ReleaseArguments& arguments) {
  ReleaseRequest request{.dry_run = arguments.dry_run};
  if (!arguments.all) {
    auto gang = ParseGang(arguments.gang);
    if (!gang.ok()) return Fail("release", gang.status());
    request.gang = *std::move(gang);
  }
  auto access = PersonAccess(arguments.kubeconfig, arguments.context, kube::ProcessEnvironment());
  if (!access.ok()) return Fail("release", kExitUsage, access.status());
  kube::HttpClient client(*std::move(access));
  const model::GangNames names(arguments.prefix);
  const auto released = ReleaseGangs(request, names, client);
  if (!released.ok()) return Fail("release", kExitNo, released.status());
  return ReportReleased(names.gate, *released, arguments.dry_run);
}

}  // namespace

void AddReleaseCommand(Command berth) {
  Command release =
      berth.AddCommand("release", "Take the scheduling gate away from the pods of a gang");
  const auto arguments = std::make_shared<ReleaseArguments>();
  const Argument gang =
      release.AddOption("gang", arguments->gang, "The gang, as NAMESPACE/NAME: ml/train-7f9c2e1a")
          .NotEmpty()
          .Completes(Candidates::kGangsAnywhere);
  Argument all = release.AddFlag("--all", arguments->all, "All gangs of all namespaces");
  all.Excludes(gang);
  release.AddFlag("--dry-run", arguments->dry_run, "Only print which pods have the gate");
  release.AddOption("--kubeconfig", arguments->kubeconfig, "Kubeconfig file");
  release.AddOption("--context", arguments->context, "Context of the kubeconfig");
  AddPrefixOption(release, arguments->prefix);
  release.Footer(kReleaseFooter);
  release.Run([arguments, gang] {
    if (!arguments->all && !gang.given()) gang.Missing();
    return Release(*arguments);
  });
}

}  // namespace berth::cli
