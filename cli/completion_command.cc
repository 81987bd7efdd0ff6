#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/exit_code.h"

namespace berth::cli {

namespace {

constexpr const char* kCompletionFooter =
    R"(The script asks `berth` itself what may be offered, so it need not be renewed with the program. Names of
pods and the like are asked from the API server, for two seconds at most.

  bash  source <(berth completion bash)
  zsh   source <(berth completion zsh)          after compinit
  fish  berth completion fish | source

`kubectl berth` is completed by kubectl's own script, if a link kubectl_complete-berth to this program is in
$PATH.)";

Shell ShellOf(const std::string& name) {
  if (name == "bash") return Shell::kBash;
  return name == "zsh" ? Shell::kZsh : Shell::kFish;
}

}  // namespace

void AddCompletionCommand(Command berth) {
  Command completion = berth.AddCommand("completion", "Print a script for completion in a shell");
  const auto shell = std::make_shared<std::string>();
  completion.AddOption("shell", *shell, "bash, zsh or fish")
      .Required()
      .OneOf({"bash", "zsh", "fish"});
  completion.Footer(kCompletionFooter);
  completion.Run([shell] {
    fmt::print("{}", CompletionScript(ShellOf(*shell)));
    return kExitOk;
  });
}

}  // namespace berth::cli
