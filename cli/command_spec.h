#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What is declared of a command line, as plain values: completion and man pages are made from it.

namespace berth::cli {

/// Where the values of an option come from that a shell may offer.
enum class Candidates : std::uint8_t {
  kNone,
  kFiles,
  kFolders,
  /// Of the kubeconfig.
  kContexts,
  /// Of the cluster.
  kNamespaces,
  kNodes,
  /// Of the namespace that the command line says.
  kPods,
  kGangs,
  /// As NAMESPACE/NAME, of all namespaces.
  kGangsAnywhere,
};

/// An option or a positional argument.
struct OptionSpec {
  /// As they are written, such as "-o" and "--output". Empty for positional arguments.
  std::vector<std::string> names = {};
  /// The name of a positional argument. Empty for options.
  std::string positional = {};
  std::string help = {};
  bool takes_value = false;
  /// Whether it may be given several times, or stands for all arguments that follow.
  bool repeatable = false;
  bool required = false;
  std::string default_value = {};
  /// The only values that it may have. Empty: any.
  std::vector<std::string> values = {};
  Candidates candidates = Candidates::kNone;
};

/// A command with its subcommands. What the help hides is left out.
struct CommandSpec {
  std::string name = {};
  /// One line without a full stop.
  std::string help = {};
  std::string footer = {};
  std::vector<OptionSpec> options = {};
  std::vector<OptionSpec> arguments = {};
  std::vector<CommandSpec> commands = {};
};

}  // namespace berth::cli
