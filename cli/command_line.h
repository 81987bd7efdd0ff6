#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command_spec.h"

namespace CLI {
class Option;
}  // namespace CLI

namespace berth::cli {

/// What all commands of one program share: the result of the one that runs, and what CLI11 has no
/// place for.
struct CommandLine {
  struct Hints {
    std::vector<std::string> values = {};
    Candidates candidates = Candidates::kNone;
  };

  int exit_code = 0;
  std::map<const CLI::Option*, Hints> hints = {};
};

}  // namespace berth::cli
