#include <absl/status/status.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "board/board.h"
#include "board/feed.h"
#include "cli/api_access.h"
#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "kube/http_client.h"
#include "kube/rbac.h"
#include "process/engine.h"
#include "server/signals.h"

namespace berth::cli {

namespace {

constexpr char kBoardRole[] = "berth-board";

// Of the check of rights, during which Ctrl-C waits. A server that does not answer in this time is
// away for whoever looks at the screen.
constexpr kube::HttpTimeouts kCheckTimeouts{.connect = std::chrono::seconds(5),
                                            .handshake = std::chrono::seconds(5),
                                            .write = std::chrono::seconds(5),
                                            .head = std::chrono::seconds(5)};

constexpr const char* kBoardFooter =
    R"(Serves one page on 127.0.0.1 until Ctrl-C, and prints its address, which has a secret token: whoever
has it sees what you may see. The board reads nodes and pods with your own rights (--kubeconfig,
$KUBECONFIG, ~/.kube/config or the credentials of the pod, the first of them that exists), and
writes nothing. With the --config of `berth extender` it judges nodes as that does.

Exit codes: 0 it was ended; 1 the API server did not answer, a right is missing, or the port is in
use; 2 wrong usage or files.)";

struct BoardArguments {
  std::string port = "0";
  std::string probes;
  bool rbac = false;
  std::string kubeconfig;
  std::string context;
  std::string namespace_name;
  std::string config_file;
};

absl::StatusOr<std::uint16_t> PortOf(const std::string& text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  if (read.ec == std::errc() && read.ptr == end) return port;
  return absl::InvalidArgumentError(
      fmt::format("--port: \"{}\" is no port; write a number from 0 to 65535", text));
}

// With a namespace, the rights over pods are in a Role of that.
int PrintBoardRbac(const std::string& namespace_name) {
  std::vector<kube::Grant> in_cluster = board::NodeGrants();
  const std::vector<kube::Grant> pods = board::PodGrants();
  if (namespace_name.empty()) in_cluster.insert(in_cluster.end(), pods.begin(), pods.end());
  fmt::print("{}", kube::ClusterRoleYaml(kBoardRole, in_cluster));
  if (namespace_name.empty()) return kExitOk;
  fmt::print("---\n{}", kube::RoleYaml(kBoardRole, namespace_name, pods));
  return kExitOk;
}

absl::StatusOr<board::BoardOptions> OptionsOf(const BoardArguments& arguments) {
  const auto port = PortOf(arguments.port);
  if (!port.ok()) return port.status();
  const auto config = LoadConfig(arguments.config_file);
  if (!config.ok()) return config.status();
  auto access = PersonAccess(arguments.kubeconfig, arguments.context, kube::ProcessEnvironment());
  if (!access.ok()) return absl::InvalidArgumentError(std::string(access.status().message()));
  process::Engine engine = process::MakeEngine(*config);
  return board::BoardOptions{.api = *std::move(access),
                             .namespace_name = arguments.namespace_name,
                             .catalog = std::move(engine.catalog),
                             .engine = std::move(engine.scheduling),
                             .shortlist = {},
                             .planner = config->planner,
                             .port = *port,
                             .probes = arguments.probes,
                             .now = process::Now};
}

int RunBoard(const BoardArguments& arguments) {
  auto options = OptionsOf(arguments);
  if (!options.ok()) return Fail("board", options.status());
  // Before the first thread starts, because threads inherit the blocked signals.
  server::ShutdownSignals signals;
  kube::HttpClient client(options->api, kCheckTimeouts);
  const absl::Status allowed = board::CheckRights(client, options->namespace_name);
  if (!allowed.ok()) return Fail("board", kExitNo, allowed);
  const auto board = board::Board::Start(*std::move(options));
  if (absl::IsInvalidArgument(board.status())) {
    return Fail("board", kExitUsage,
                absl::InvalidArgumentError(
                    fmt::format("--probes: {}", std::string(board.status().message()))));
  }
  if (!board.ok()) return Fail("board", kExitNo, board.status());
  fmt::print("{}\n", (*board)->Url());
  // Run() reports what could not be written.
  static_cast<void>(std::fflush(stdout));
  signals.Wait();
  return kExitOk;
}

}  // namespace

void AddBoardCommand(Command berth) {
  Command board = berth.AddCommand(
      "board", "Serve a page on this machine that shows the cluster's nodes, devices and queue");
  const auto arguments = std::make_shared<BoardArguments>();
  board.AddOption("--port", arguments->port, "Port on 127.0.0.1; 0: the system chooses one");
  board.AddOption("--kubeconfig", arguments->kubeconfig, "Kubeconfig file");
  board.AddOption("--context", arguments->context, "Context of the kubeconfig");
  AddNamespaceOption(board, arguments->namespace_name,
                     "Show only the pods of this namespace (default: all)");
  board.AddOption("--config", arguments->config_file,
                  "Berth's configuration, as for `berth extender` (default: built in)");
  board.AddOption("--probes", arguments->probes,
                  "Address, such as :9092, at which /livez and /readyz answer in plain HTTP, for a "
                  "Deployment (default: none)");
  board.AddFlag("--rbac", arguments->rbac, "Print the roles that the board needs, and exit");
  board.Footer(kBoardFooter);
  board.Run([arguments] {
    return arguments->rbac ? PrintBoardRbac(arguments->namespace_name) : RunBoard(*arguments);
  });
}

}  // namespace berth::cli
