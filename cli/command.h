#pragma once

#include <absl/status/status.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_spec.h"
#include "yaml/source_error.h"

// NOLINTNEXTLINE(readability-identifier-naming): CLI11 calls it so.
namespace CLI {
class App;
class Option;
}  // namespace CLI

// Declares command lines. These classes hide CLI11, which takes the compiler ten seconds in each
// source that includes it: only command.cc, describe.cc and run.cc do.

namespace berth::cli {

struct CommandLine;

/// An option or argument of a command. This is a handle: copies refer to the same option. The
/// functions return a copy, so that calls can be chained.
class Argument {
 public:
  Argument(CLI::Option* option, CommandLine* line) : option_(option), line_(line) {}

  /// Any other value is wrong usage.
  Argument OneOf(std::vector<std::string> values);
  /// Leaving it out is wrong usage, and so is an empty value.
  Argument Required();
  /// An empty value is wrong usage. For what changes the answer if it is left out: a script gives
  /// an empty value if its variable is not set.
  Argument NotEmpty();
  /// A value for which `check` returns an error is wrong usage. The error is shown after the name
  /// of the option, and says what to write.
  Argument Checked(std::function<absl::Status(const std::string&)> check);
  /// Giving both is wrong usage.
  Argument Excludes(Argument other);
  /// Giving this one without the other is wrong usage.
  Argument Needs(Argument other);
  /// The help does not show it.
  Argument Hidden();
  /// What a shell may offer as its value. The values of OneOf() are offered anyway, and so is what
  /// belongs to --config, --context, --filename, --kubeconfig and --namespace.
  Argument Completes(Candidates candidates);

  /// Whether the command line has it. Meaningful once the command runs.
  bool given() const;

  /// Ends the function of Command::Run as wrong usage, because this option is missing. Throws.
  [[noreturn]] void Missing() const;

 private:
  CLI::Option* option_;
  CommandLine* line_;
};

/// A command line that is being declared: that of `berth` itself or of a subcommand. A handle like
/// Argument.
///
///   Command hello = berth.AddCommand("hello", "Greet somebody");
///   const auto name = std::make_shared<std::string>("world");
///   hello.AddOption("--name", *name, "Whom to greet");
///   hello.Run([name] { return Greet(*name); });
class Command {
 public:
  /// Both must outlive the command. Results of Run's functions are stored in `line`.
  Command(CLI::App& app, CommandLine& line) : app_(&app), line_(&line) {}

  /// Adds a subcommand and returns it. `help` is one line without a full stop.
  Command AddCommand(const std::string& name, const std::string& help);

  /// `names` is like "-o,--output", or without dashes for a positional argument. The content of
  /// `value` is the default; the help shows it unless it is empty. `value` must live until the
  /// command has run.
  Argument AddOption(const std::string& names, std::string& value, const std::string& help);
  /// Adds a positional argument that takes any number of values.
  Argument AddList(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  /// Adds an option that may be given several times, with one value each time.
  Argument AddRepeatable(const std::string& names, std::vector<std::string>& values,
                         const std::string& help);

  /// Adds an option without a value, which sets `value` to true.
  Argument AddFlag(const std::string& names, bool& value, const std::string& help);

  /// Sets a text that is shown below the help.
  void Footer(const std::string& text);

  /// Sets the function that does the command's work and returns the exit code. It is called once,
  /// after the whole command line has been read.
  void Run(std::function<int()> run);

  /// Makes it wrong usage to call the command without one of its subcommands.
  void RequireCommand();

  /// What is declared so far of this command and its subcommands.
  CommandSpec Describe() const;

 private:
  CLI::App* app_;
  CommandLine* line_;
};

/// Writes "berth COMMAND: MESSAGE" to standard error and returns `exit_code`. The message may have
/// several lines; other control characters become blanks.
int Fail(std::string_view command, int exit_code, const absl::Status& error);

/// The same. Returns kExitUsage for INVALID_ARGUMENT and kExitNo for all other errors.
int Fail(std::string_view command, const absl::Status& error);

/// Writes the errors of a file to standard error, one line each, and returns kExitUsage.
int Fail(const std::vector<yaml::SourceError>& errors);

}  // namespace berth::cli
