#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_spec.h"

namespace berth::cli {

/// The hidden command by which the scripts of `berth completion` ask.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// Prints what a shell may offer for the last of `words`, with names from the cluster where they
/// are wanted: a line for each, with a tab and its help, and then ":" and a number, which says what
/// the shell does besides. kubectl has the same from its plugins; both follow
/// https://github.com/spf13/cobra/blob/v1.10.2/completions.go (ShellCompDirective):
///
///   :0   files, if there is no candidate
///   :4   nothing else
///   :16  folders
///
/// Asks the API server for two seconds at most. If it does not answer, the names are left out
/// without a word, because words would end up in the command line. Returns kExitOk.
int PrintCandidates(const CommandSpec& program, const std::vector<std::string>& words);

}  // namespace berth::cli
