#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/terminal.h"

// How commands for people print their answers, with -o as kubectl has it. Every answer is one JSON
// document or one text with tables; YAML is the JSON in other clothes.

namespace berth::cli {

/// What -o says.
struct OutputOptions {
  /// "table", "wide", "json", "yaml", or a format that only this command has.
  std::string format = "table";
};

/// A format beside those that all commands have. A plain value.
struct OutputFormat {
  std::string name;
  /// What it is, for the help.
  std::string help;
};

/// How a text with tables is to look. A plain value; the default is for files and pipes.
struct TableStyle {
  /// Whether tables have the columns that few people need.
  bool wide = false;
  Terminal terminal = {};
};

/// Adds -o/--output. `output` must live until the command has run. The command itself prints
/// `others`, before it calls PrintAnswer().
///
///   AddOutputOption(gangs, arguments->output);
///   ...
///   PrintAnswer(
///       arguments.output, [&] { return GangsJson(reports); },
///       [&](const TableStyle& style) { return GangsTable(reports, now, style); });
Argument AddOutputOption(Command command, OutputOptions& output,
                         const std::vector<OutputFormat>& others = {});

/// Prints the answer to standard output. Calls one of the two functions: `json` returns a JSON
/// document, and `table` the text for people. Colours and widths are those of the terminal.
void PrintAnswer(const OutputOptions& output, const std::function<std::string()>& json,
                 const std::function<std::string(const TableStyle&)>& table);

/// Writes a hint to standard error, as one line that commands no terminal: it may quote texts that
/// anybody can write.
void PrintHint(std::string_view hint);

}  // namespace berth::cli
