#pragma once

#include <absl/status/status.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/source_error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace berth::cli {

/// An option or argument of a command. A handle: copies are the same option.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  /// Other values are wrong usage.
  Argument OneOf(std::initializer_list<std::string> values);
  Argument Required();
  /// Wrong usage together with the other one.
  Argument Excludes(Argument other);
  /// Wrong usage without the other one.
  Argument Needs(Argument other);
  /// Left out of the help.
  Argument Hidden();

  bool given() const;

  /// For Command::Run's function: ends it as wrong usage, because this one is missing.
  [[noreturn]] void Missing() const;

 private:
  CLI::Option* option_;
};

/// A command line in the making: the binary's own or that of a subcommand. A handle, like Argument.
/// Stands before CLI11, which takes the compiler ten seconds wherever it is included; that is in
/// command.cc and run.cc alone.
class Command {
 public:
  /// What Run's functions return goes to `exit_code`. Both must outlive the command.
  Command(CLI::App& app, int& exit_code) : app_(&app), exit_code_(&exit_code) {}

  Command AddCommand(const std::string& name, const std::string& help);

  /// `names` as "-o,--output", or without dashes for a positional argument. What `value` holds is
  /// the default, and shown where it is not empty. It must live until the command line was read.
  Argument AddOption(const std::string& names, std::string& value, const std::string& help);
  /// Any number of positional arguments.
  Argument AddList(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  /// An option that may be given several times, each time with one value.
  Argument AddRepeatable(const std::string& names, std::vector<std::string>& values,
                         const std::string& help);
  Argument AddFlag(const std::string& names, bool& value, const std::string& help);

  /// Shown below the help.
  void Footer(const std::string& text);

  /// What the command does; it returns the exit code.
  void Run(std::function<int()> run);

  /// Has no meaning of its own, only its subcommands have.
  void RequireCommand();

 private:
  CLI::App* app_;
  int* exit_code_;
};

/// Writes "berth COMMAND: MESSAGE" to stderr. Returns `exit_code`.
int Fail(std::string_view command, int exit_code, const absl::Status& error);

/// The same; the exit code is kExitUsage for an InvalidArgument, else kExitNo.
int Fail(std::string_view command, const absl::Status& error);

/// Writes the errors of a file to stderr. Returns kExitUsage.
int Fail(const std::vector<yaml::SourceError>& errors);

}  // namespace berth::cli
