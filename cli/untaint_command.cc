#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cli/api_access.h"
#include "cli/api_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "cli/untaint.h"
#include "config/config.h"
#include "kube/http_client.h"
#include "model/annotation.h"

namespace berth::cli {

namespace {

constexpr const char* kFooter =
    R"(For nodes that stay tainted although no controller leads, and for the time after `helm uninstall`, when
the chart runs it. While a controller leads, set controller.taints to false instead: the controller
then removes the taints, and would otherwise add them again.

Needs the rights to list and to patch nodes. Exit codes: 0 no node has the taint any more; 1 some
have, or no answer; 2 wrong usage.)";

struct UntaintArguments {
  std::string kubeconfig;
  std::string context;
  std::string prefix = config::BerthConfiguration().prefix;
};

int Report(const std::string& key, const Untainted& untainted) {
  int exit_code = kExitOk;
  for (const auto& [node, status] : untainted) {
    if (status.ok()) {
      fmt::print("{}: removed the taint {}\n", node, key);
    } else {
      fmt::print(stderr, "{}: {}\n", node, Printable(std::string(status.message())));
      exit_code = kExitNo;
    }
  }
  if (untainted.empty()) fmt::print("no node has the taint {}\n", key);
  return exit_code;
}

int Untaint(const UntaintArguments& arguments) {
  auto access = PersonAccess(arguments.kubeconfig, arguments.context, kube::ProcessEnvironment());
  if (!access.ok()) return Fail("untaint", kExitUsage, access.status());
  kube::HttpClient client(*std::move(access));
  const std::string key = model::kExcludedTaint.Below(arguments.prefix);
  const auto untainted = RemoveTaints(key, client);
  if (!untainted.ok()) return Fail("untaint", kExitNo, untainted.status());
  return Report(key, *untainted);
}

}  // namespace

void AddUntaintCommand(Command berth) {
  Command untaint = berth.AddCommand("untaint", "Remove Berth's taint from all nodes");
  const auto arguments = std::make_shared<UntaintArguments>();
  untaint.AddOption("--kubeconfig", arguments->kubeconfig, "Kubeconfig file");
  untaint.AddOption("--context", arguments->context, "Context of the kubeconfig");
  AddPrefixOption(untaint, arguments->prefix);
  untaint.Footer(kFooter);
  untaint.Run([arguments] { return Untaint(*arguments); });
}

}  // namespace berth::cli
