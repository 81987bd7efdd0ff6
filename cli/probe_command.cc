#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "probe/npd_config.h"
#include "probe/probes.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::cli {

namespace {

constexpr const char* kProbeFooter =
    R"(A custom plugin of node-problem-detector: one line of at most 80 bytes says what was found.
docs/probe.md says what the probe reads, and when it is bad or unknown.

Exit codes: 0 well; 1 bad; 2 unknown, or wrong usage.)";

constexpr const char* kPluginFooter =
    R"(Writes NAME.json for each probe, which node-problem-detector reads with
--config.custom-plugin-monitor. One condition is in each file, and the initial status is skipped:
so a restart of node-problem-detector does not publish that all is well before it has looked.
Without --output, the file of the one probe that is named goes to standard output.

  berth probe config gpu-lost d-state --output /etc/npd --flag gpu-lost:expect=8

Exit codes: 0 ok; 1 a file cannot be written; 2 wrong usage.)";

/// A flag and what was given for it.
struct GivenFlag {
  std::string_view name;
  Argument argument;
  std::shared_ptr<std::string> value;
};

int Look(const probe::Probe& probe, const std::vector<GivenFlag>& flags) {
  probe::Settings settings;
  for (const GivenFlag& flag : flags) {
    if (!flag.argument.given()) continue;
    const absl::Status status = probe::SetFlag(probe, flag.name, *flag.value, settings);
    // Never 1: a mistyped flag must not exclude a node.
    if (!status.ok()) return Fail(fmt::format("probe {}", probe.name), kExitUsage, status);
  }
  const probe::Verdict verdict = probe::RunProbe(probe, settings);
  fmt::print("{}\n", probe::Line(verdict.message));
  return static_cast<int>(verdict.outcome);
}

void AddProbe(Command parent, const probe::Probe& probe) {
  Command command = parent.AddCommand(std::string(probe.name), std::string(probe.help));
  std::vector<GivenFlag> flags;
  for (const probe::Flag& flag : probe::AllFlags()) {
    if (!probe::Takes(probe, flag.name)) continue;
    const auto value = std::make_shared<std::string>(flag.default_text);
    const Argument argument =
        command.AddOption(fmt::format("--{}", flag.name), *value, std::string(flag.help));
    flags.push_back({flag.name, argument, value});
  }
  command.Footer(kProbeFooter);
  command.Run([&probe, flags] { return Look(probe, flags); });
}

struct PluginArguments {
  std::vector<std::string> names;
  std::vector<std::string> flags;
  std::string output;
  std::string program = probe::PluginOptions().program;
  std::string interval = "1m";
};

/// Names of probes, or all of them if there are none.
absl::StatusOr<std::vector<const probe::Probe*>> ProbesOf(const std::vector<std::string>& names) {
  std::vector<const probe::Probe*> probes;
  for (const std::string& name : names) {
    probes.push_back(probe::FindProbe(name));
    if (probes.back() != nullptr) continue;
    std::string known;
    for (const probe::Probe& probe : probe::AllProbes()) known += fmt::format(" {}", probe.name);
    return absl::InvalidArgumentError(
        fmt::format("no probe is called '{}'; write one of{}", name, known));
  }
  if (!probes.empty()) return probes;
  for (const probe::Probe& probe : probe::AllProbes()) probes.push_back(&probe);
  return probes;
}

/// What --flag says.
struct PluginFlag {
  /// Name of a probe, or * for all that take the flag.
  std::string of;
  std::string name;
  std::string value;
};

absl::StatusOr<PluginFlag> ToPluginFlag(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=', colon);
  if (colon == std::string::npos || equals == std::string::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "--flag is '{}'; write PROBE:NAME=VALUE, such as gpu-lost:expect=8 or *:root=/host", text));
  }
  PluginFlag flag{text.substr(0, colon), text.substr(colon + 1, equals - colon - 1),
                  text.substr(equals + 1)};
  if (flag.of != "*" && probe::FindProbe(flag.of) == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("--flag is '{}', but no probe is called '{}'", text, flag.of));
  }
  if (probe::FindFlag(flag.name) == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("--flag is '{}', but no probe has a flag --{}", text, flag.name));
  }
  return flag;
}

/// Adds a flag, unless one of the same name is there that is more specific; replaces one that is
/// less so.
absl::Status Add(PluginFlag flag, std::vector<PluginFlag>& flags) {
  const auto there =
      std::ranges::find(flags, flag.name, [](const PluginFlag& each) { return each.name; });
  if (there == flags.end()) {
    flags.push_back(std::move(flag));
  } else if (there->of == flag.of) {
    return absl::InvalidArgumentError(
        fmt::format("--flag says {}:{} twice; leave one of both out", flag.of, flag.name));
  } else if (there->of == "*") {
    *there = std::move(flag);
  }
  return absl::OkStatus();
}

/// Of "gpu-lost:expect=8" and "*:root=/host" what is for the probe.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> FlagsOf(
    const probe::Probe& probe, const std::vector<std::string>& texts) {
  std::vector<PluginFlag> chosen;
  for (const std::string& text : texts) {
    auto flag = ToPluginFlag(text);
    if (!flag.ok()) return flag.status();
    if (flag->of != probe.name && (flag->of != "*" || !probe::Takes(probe, flag->name))) continue;
    const absl::Status status = Add(*std::move(flag), chosen);
    if (!status.ok()) return status;
  }
  std::vector<std::pair<std::string, std::string>> flags;
  flags.reserve(chosen.size());
  for (PluginFlag& flag : chosen) flags.emplace_back(std::move(flag.name), std::move(flag.value));
  return flags;
}

absl::StatusOr<std::string> PluginOf(const probe::Probe& probe, const PluginArguments& arguments) {
  probe::PluginOptions options{.program = arguments.program};
  const auto interval = probe::ToInterval(arguments.interval);
  if (!interval.ok()) return interval.status();
  options.interval = *interval;
  auto flags = FlagsOf(probe, arguments.flags);
  if (!flags.ok()) return flags.status();
  options.flags = *std::move(flags);
  return probe::PluginConfig(probe, options);
}

absl::Status Write(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::trunc);
  out << content;
  out.close();
  if (out.good()) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("{} cannot be written", file));
}

int WritePlugins(const PluginArguments& arguments) {
  const auto probes = ProbesOf(arguments.names);
  if (!probes.ok()) return Fail("probe config", probes.status());
  if (arguments.output.empty() && probes->size() != 1) {
    return Fail("probe config", absl::InvalidArgumentError(
                                    "these are several files; name one probe, or a folder with "
                                    "--output"));
  }
  for (const probe::Probe* probe : *probes) {
    const auto content = PluginOf(*probe, arguments);
    if (!content.ok()) return Fail("probe config", content.status());
    if (arguments.output.empty()) {
      fmt::print("{}", *content);
      continue;
    }
    const absl::Status status =
        Write(fmt::format("{}/{}.json", arguments.output, probe->name), *content);
    if (!status.ok()) return Fail("probe config", status);
  }
  return kExitOk;
}

void AddPlugins(Command parent) {
  Command command =
      parent.AddCommand("config", "Write the configuration of node-problem-detector for probes");
  const auto arguments = std::make_shared<PluginArguments>();
  command.AddList("PROBE", arguments->names, "Names of probes (default: all)");
  command.AddOption("-o,--output", arguments->output, "Folder to write the files to");
  command.AddRepeatable("--flag", arguments->flags,
                        "PROBE:NAME=VALUE, a flag for a probe; * for all that take it");
  command.AddOption("--program", arguments->program, "Path of berth on the node");
  command.AddOption("--interval", arguments->interval, "How often the probes run");
  command.Footer(kPluginFooter);
  command.Run([arguments] { return WritePlugins(*arguments); });
}

}  // namespace

void AddProbeCommand(Command berth) {
  Command command = berth.AddCommand(
      "probe", "Look for faults of this node, as a plugin of node-problem-detector");
  command.RequireCommand();
  for (const probe::Probe& probe : probe::AllProbes()) AddProbe(command, probe);
  AddPlugins(command);
}

}  // namespace berth::cli
