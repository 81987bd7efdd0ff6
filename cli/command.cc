#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace berth::cli {

namespace {

// What options of these names take, whichever command has them.
constexpr std::pair<std::string_view, Candidates> kUsualCandidates[] = {
    {"config", Candidates::kFiles},
    {"context", Candidates::kContexts},
    {"filename", Candidates::kFiles},
    {"kubeconfig", Candidates::kFiles},
    {"namespace", Candidates::kNamespaces}};

Candidates CandidatesFor(const CLI::Option& option) {
  for (const auto& [name, candidates] : kUsualCandidates) {
    if (option.check_lname(std::string(name))) return candidates;
  }
  return Candidates::kNone;
}

}  // namespace

Argument Argument::OneOf(std::vector<std::string> values) {
  option_->check(CLI::IsMember(values));
  line_->hints[option_].values = std::move(values);
  return *this;
}

Argument Argument::Required() {
  option_->required();
  return NotEmpty();
}

Argument Argument::NotEmpty() {
  option_->check([](const std::string& value) {
    return std::string(value.empty() ? "is empty; give it a value" : "");
  });
  return *this;
}

Argument Argument::Checked(std::function<absl::Status(const std::string&)> check) {
  option_->check([check = std::move(check)](const std::string& value) {
    return Printable(std::string(check(value).message()));
  });
  return *this;
}

Argument Argument::Excludes(Argument other) {
  option_->excludes(other.option_);
  return *this;
}

Argument Argument::Needs(Argument other) {
  option_->needs(other.option_);
  return *this;
}

Argument Argument::Hidden() {
  option_->group("");
  return *this;
}

Argument Argument::Completes(Candidates candidates) {
  line_->hints[option_].candidates = candidates;
  return *this;
}

bool Argument::given() const { return option_->count() > 0; }

void Argument::Missing() const { throw CLI::RequiredError(option_->get_name()); }

Command Command::AddCommand(const std::string& name, const std::string& help) {
  return {*app_->add_subcommand(name, help), *line_};
}

Argument Command::AddOption(const std::string& names, std::string& value, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help);
  if (!value.empty()) option->capture_default_str();
  return Argument(option, line_).Completes(CandidatesFor(*option));
}

Argument Command::AddList(const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  return {app_->add_option(name, values, help), line_};
}

Argument Command::AddRepeatable(const std::string& names, std::vector<std::string>& values,
                                const std::string& help) {
  return {app_->add_option(names, values, help)->allow_extra_args(false), line_};
}

Argument Command::AddFlag(const std::string& names, bool& value, const std::string& help) {
  return {app_->add_flag(names, value, help), line_};
}

void Command::Footer(const std::string& text) { app_->footer(text); }

void Command::Run(std::function<int()> run) {
  app_->callback([run = std::move(run), line = line_] { line->exit_code = run(); });
}

void Command::RequireCommand() { app_->require_subcommand(1); }

int Fail(std::string_view command, int exit_code, const absl::Status& error) {
  fmt::print(stderr, "berth {}: {}\n", command, PrintableLines(std::string(error.message())));
  return exit_code;
}

int Fail(std::string_view command, const absl::Status& error) {
  return Fail(command, absl::IsInvalidArgument(error) ? kExitUsage : kExitNo, error);
}

int Fail(const std::vector<yaml::SourceError>& errors) {
  for (const yaml::SourceError& error : errors) {
    fmt::print(stderr, "{}\n", Printable(yaml::ToString(error)));
  }
  return kExitUsage;
}

}  // namespace berth::cli
