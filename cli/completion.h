#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/api_options.h"
#include "cli/command_spec.h"

// What a shell may offer while a command line is typed, from what is declared of the commands.
// complete.h fills in names from the cluster and prints it.

namespace berth::cli {

/// A word that a shell may offer.
struct Candidate {
  std::string word;
  /// One line. May be empty.
  std::string help = {};

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What can stand in the place of the last word.
struct Completion {
  /// Those that are known without asking anybody, and begin as the last word does.
  std::vector<Candidate> candidates = {};
  /// What else may stand there.
  Candidates more = Candidates::kNone;
  /// The beginning of what is wanted of `more`.
  std::string typed = {};
  /// What the words say of the cluster.
  ApiOptions api = {};
};

/// Completes the last of `words`, which stand behind the program's name; it may be empty. Options
/// that were given already are left out. In a word such as "--output=js", it completes what is
/// behind the "=", and candidates do not repeat what is before it.
Completion CompletionOf(const CommandSpec& program, const std::vector<std::string>& words);

/// The shells for which there is a script.
enum class Shell { kBash, kZsh, kFish };

/// The script that has a shell ask `berth __complete WORD...`. Knows no command, so it need not be
/// replaced with the program.
std::string CompletionScript(Shell shell);

}  // namespace berth::cli
