#include "cli/complete.h"

#include <fmt/format.h>

#include <utility>

#include "cli/api_access.h"
#include "cli/cluster_names.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace berth::cli {

namespace {

constexpr int kFilesToo = 0;
constexpr int kNothingElse = 4;
constexpr int kFoldersOnly = 16;

int DirectiveOf(Candidates more) {
  if (more == Candidates::kFiles) return kFilesToo;
  return more == Candidates::kFolders ? kFoldersOnly : kNothingElse;
}

}  // namespace

int PrintCandidates(const CommandSpec& program, const std::vector<std::string>& words) {
  Completion completion = CompletionOf(program, words);
  for (std::string& name : NamesFor(completion.more, completion.api)) {
    if (name.starts_with(completion.typed)) completion.candidates.push_back({std::move(name)});
  }
  for (const auto& [word, help] : completion.candidates) {
    fmt::print("{}{}{}\n", Printable(word), help.empty() ? "" : "\t", Printable(help));
  }
  fmt::print(":{}\n", DirectiveOf(completion.more));
  return kExitOk;
}

}  // namespace berth::cli
