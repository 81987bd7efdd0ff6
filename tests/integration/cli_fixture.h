#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/child_process.h"
#include "tests/integration/server_client.h"
#include "tests/integration/test_pki.h"

namespace berth::tests {

/// What a run of `berth` left.
struct Finished {
  int exit_code = 0;
  std::string output;
  std::string error;
};

/// `berth` in front of its arguments, for ChildProcess.
inline std::vector<std::string> BerthWords(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), BERTH_BINARY);
  return arguments;
}

/// Runs `berth` to its end.
inline Finished RunBerth(std::vector<std::string> arguments, const std::string& input = "",
                         const std::vector<std::string>& environment = {}) {
  ChildProcess process(BerthWords(std::move(arguments)), input, environment);
  const int exit_code = process.Wait();
  return {exit_code, process.output(), process.error()};
}

/// The port in the log line of `listener`, once `last`, which is started after all others, listens,
/// too; 0: the lines did not come.
inline std::uint16_t ListenerPort(ChildProcess& berth, const std::string& listener,
                                  const std::string& last) {
  const std::string before = "\"listener\":\"" + listener + "\",\"address\":\"127.0.0.1:";
  if (!berth.AwaitError(before) || !berth.AwaitError("\"listener\":\"" + last + "\"")) return 0;
  const std::size_t begin = berth.error().find(before) + before.size();
  return static_cast<std::uint16_t>(std::stoi(berth.error().substr(begin)));
}

/// Asks a plain listener.
inline ServerReply Get(std::uint16_t port, const std::string& path) {
  RawClient client(port);
  client.Send("GET " + path + " HTTP/1.1\r\nHost: b\r\n\r\n");
  return client.ReadReply();
}

/// The head of every configuration.
inline constexpr const char* kConfigHead =
    "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n";

}  // namespace berth::tests
