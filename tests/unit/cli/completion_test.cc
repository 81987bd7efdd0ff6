#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const CommandSpec& Program() {
  static const OptionSpec output{
      .names = {"-o", "--output"}, .help = "How", .takes_value = true, .values = {"table", "json"}};
  static const OptionSpec in{
      .names = {"-n", "--namespace"}, .takes_value = true, .candidates = Candidates::kNamespaces};
  static const OptionSpec watch{.names = {"-w", "--watch"}};
  static const OptionSpec skip{.names = {"--skip"}, .takes_value = true, .repeatable = true};
  static const OptionSpec config{
      .names = {"--config"}, .takes_value = true, .candidates = Candidates::kFiles};
  static const CommandSpec program{
      .name = "berth",
      .commands = {{.name = "explain",
                    .help = "Explain",
                    .options = {output, in, watch, skip, config},
                    .arguments = {{.positional = "pod",
                                   .takes_value = true,
                                   .candidates = Candidates::kPods}}},
                   {.name = "config",
                    .help = "Configure",
                    .commands = {{.name = "docs"}, {.name = "defaults"}}},
                   {.name = "completion",
                    .arguments = {
                        {.positional = "shell", .takes_value = true, .values = {"bash", "zsh"}}}}}};
  return program;
}

std::vector<std::string> Words(const std::vector<std::string>& typed) {
  std::vector<std::string> words;
  for (const Candidate& each : CompletionOf(Program(), typed).candidates)
    words.push_back(each.word);
  return words;
}

Completion Of(const std::vector<std::string>& typed) { return CompletionOf(Program(), typed); }

TEST(Completion, OffersCommands) {
  EXPECT_THAT(Words({""}), ElementsAre("explain", "config", "completion"));
  EXPECT_THAT(Words({}), ElementsAre("explain", "config", "completion"));
  EXPECT_THAT(Words({"co"}), ElementsAre("config", "completion"));
  EXPECT_THAT(Words({"config", "d"}), ElementsAre("docs", "defaults"));
  EXPECT_THAT(Words({"config", "docs", ""}), IsEmpty());
  EXPECT_EQ(Of({"exp"}).candidates.front(), (Candidate{"explain", "Explain"}));
}

TEST(Completion, OffersOptionsThatAreNotGivenYet) {
  EXPECT_THAT(Words({"explain", "--"}),
              ElementsAre("--output", "--namespace", "--watch", "--skip", "--config"));
  EXPECT_THAT(Words({"explain", "-o", "json", "-w", "--skip=a", "--"}),
              ElementsAre("--namespace", "--skip", "--config"));
  EXPECT_THAT(Words({"explain", "-nml", "--na"}), IsEmpty());
  EXPECT_THAT(Words({"explain", "--", "-"}), IsEmpty()) << "all that follows is an argument";
}

TEST(Completion, OffersTheValuesOfAnOption) {
  EXPECT_THAT(Words({"explain", "-o", ""}), ElementsAre("table", "json"));
  EXPECT_THAT(Words({"explain", "--output", "j"}), ElementsAre("json"));
  EXPECT_THAT(Words({"explain", "--output=j"}), ElementsAre("json"));
  EXPECT_EQ(Of({"explain", "--config", "/e"}).more, Candidates::kFiles);
  EXPECT_THAT(Words({"explain", "--nonsense=j"}), IsEmpty());
}

TEST(Completion, OffersArguments) {
  EXPECT_THAT(Words({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(Words({"completion", "zsh", ""}), IsEmpty());
  const Completion pod = Of({"explain", "-o", "json", "tr"});
  EXPECT_EQ(pod.more, Candidates::kPods);
  EXPECT_EQ(pod.typed, "tr");
  EXPECT_EQ(Of({"explain", "train", ""}).more, Candidates::kNone);
}

TEST(Completion, KnowsWhichClusterAndNamespaceTheLineIsAbout) {
  EXPECT_EQ(Of({"explain", "-n", "ml", ""}).api.namespace_name, "ml");
  EXPECT_EQ(Of({"explain", "-nml", ""}).api.namespace_name, "ml");
  EXPECT_EQ(Of({"explain", "--namespace=ml", ""}).api.namespace_name, "ml");
  const Completion namespaces = Of({"explain", "-n", "m"});
  EXPECT_EQ(namespaces.more, Candidates::kNamespaces);
  EXPECT_EQ(namespaces.typed, "m");
  EXPECT_EQ(namespaces.api.namespace_name, "");
}

}  // namespace
}  // namespace berth::cli
