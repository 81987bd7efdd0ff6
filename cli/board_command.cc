#include <absl/status/status.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "board/board.h"
#include "board/feed.h"
#include "cli/api_access.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "kube/http_client.h"
#include "model/label.h"
#include "process/engine.h"
#include "server/signals.h"

namespace berth::cli {

namespace {

constexpr const char* kBoardFooter =
    R"(Serves one page on 127.0.0.1 until Ctrl-C, and prints its address, which has a secret token: whoever
has it sees what you may see. The board reads nodes and pods with your own rights (--kubeconfig,
$KUBECONFIG, ~/.kube/config or the credentials of the pod, the first of them that exists), and
writes nothing. With the --config of `berth extender` it judges nodes as that does.

Exit codes: 0 it was ended; 1 the API server did not answer, a right is missing, or the port is in
use; 2 wrong usage or files.)";

struct BoardArguments {
  std::string port = "0";
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

absl::StatusOr<board::BoardOptions> OptionsOf(const BoardArguments& arguments) {
  const auto port = PortOf(arguments.port);
  if (!port.ok()) return port.status();
  const std::string& namespace_name = arguments.namespace_name;
  if (!namespace_name.empty() && !model::IsDnsSubdomain(namespace_name)) {
    return absl::InvalidArgumentError(
        fmt::format("-n: \"{}\" is no name of a namespace", namespace_name));
  }
  const auto config = LoadConfig(arguments.config_file);
  if (!config.ok()) return config.status();
  auto access = PersonAccess(arguments.kubeconfig, arguments.context, kube::ProcessEnvironment());
  if (!access.ok()) return absl::InvalidArgumentError(std::string(access.status().message()));
  process::Engine engine = process::MakeEngine(*config);
  return board::BoardOptions{.api = *std::move(access),
                             .namespace_name = namespace_name,
                             .catalog = std::move(engine.catalog),
                             .engine = std::move(engine.scheduling),
                             .shortlist = {},
                             .planner = config->planner,
                             .port = *port,
                             .now = process::Now};
}

int RunBoard(const BoardArguments& arguments) {
  auto options = OptionsOf(arguments);
  if (!options.ok()) return Fail("board", options.status());
  // Before the first thread starts, because threads inherit the blocked signals.
  server::ShutdownSignals signals;
  kube::HttpClient client(options->api);
  const absl::Status allowed = board::CheckRights(client, options->namespace_name);
  if (!allowed.ok()) return Fail("board", kExitNo, allowed);
  const auto board = board::Board::Start(*std::move(options));
  if (!board.ok()) return Fail("board", kExitNo, board.status());
  fmt::print("{}\n", (*board)->Url());
  std::fflush(stdout);
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
  board.AddOption("-n,--namespace", arguments->namespace_name,
                  "Show only the pods of this namespace (default: all)");
  board.AddOption("--config", arguments->config_file,
                  "Berth's configuration, as for `berth extender` (default: built in)");
  board.Footer(kBoardFooter);
  board.Run([arguments] { return RunBoard(*arguments); });
}

}  // namespace berth::cli
