#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/integration/child_process.h"
#include "tests/integration/test_pki.h"

namespace berth::testing {

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

/// The head of every configuration.
inline constexpr const char* kConfigHead =
    "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n";

}  // namespace berth::testing
