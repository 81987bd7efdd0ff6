#pragma once

#include <string_view>

namespace berth::cli {

/// What the program is, by the name under which it was started. kubectl runs the executable
/// kubectl-NAME for `kubectl NAME`, and kubectl_complete-NAME for what a shell may offer behind it
/// (https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/).
struct Program {
  /// It is `kubectl berth`, so it has the commands for people alone.
  bool is_plugin = false;
  /// Its arguments are the words of a command line that is being typed.
  bool completes = false;
};

/// `path` is argv[0].
Program ProgramOf(std::string_view path);

}  // namespace berth::cli
