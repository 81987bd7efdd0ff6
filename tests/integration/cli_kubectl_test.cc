#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// The binary under the names by which kubectl starts it, in shells, and its man pages.

namespace berth::tests {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace fs = std::filesystem;

// The path of a program, or empty if it is not installed.
std::string Installed(const std::string& name) {
  for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    const fs::path path = fs::path(folder) / name;
    if (fs::exists(path)) return path.string();
  }
  return "";
}

class CliKubectl : public ::testing::Test {
 protected:
  CliKubectl() {
    for (const char* name : {"berth", "kubectl-berth", "kubectl_complete-berth"}) {
      fs::create_symlink(BERTH_BINARY, folder_.path() / name);
    }
  }

  // Runs a program with the links in its $PATH.
  Finished RunIn(const std::string& program, const std::vector<std::string>& arguments,
                 std::vector<std::string> environment = {}) const {
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    environment.push_back("PATH=" + folder_.path().string() + ":/usr/local/bin:/usr/bin:/bin");
    environment.push_back("HOME=" + folder_.path().string());
    ChildProcess process(words, "", environment);
    const int exit_code = process.Wait();
    return {exit_code, process.output(), process.error()};
  }

  Finished RunAs(const std::string& name, const std::vector<std::string>& arguments) const {
    return RunIn((folder_.path() / name).string(), arguments);
  }

  // What a shell offers.
  std::string Offered(const std::string& shell, const std::vector<std::string>& arguments) const {
    const Finished run = RunIn(Installed(shell), arguments);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(run.error, IsEmpty());
    return run.output;
  }

  const TempDir folder_;
};

TEST_F(CliKubectl, APluginHasTheCommandsForPeople) {
  const Finished help = RunAs("kubectl-berth", {});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Usage: kubectl berth ["));
  for (const char* command : {"explain", "capacity", "gangs", "who", "idle", "board", "mutate",
                              "report", "doctor", "release", "version"}) {
    EXPECT_THAT(help.output, HasSubstr(std::string("\n  ") + command + " "));
  }
  for (const char* command : {"extender", "admission", "controller", "probe", "man"}) {
    EXPECT_THAT(help.output, Not(HasSubstr(std::string("\n  ") + command + " ")));
    EXPECT_EQ(RunAs("kubectl-berth", {command}).exit_code, 2) << command;
  }
  EXPECT_THAT(RunAs("kubectl-berth", {"explain", "--help"}).output,
              HasSubstr("Usage: kubectl berth explain ["));
  EXPECT_THAT(RunAs("berth", {"explain", "--help"}).output, HasSubstr("Usage: berth explain ["));
}

// kubectl takes the last line for what the shell does besides.
TEST_F(CliKubectl, AnswersWhatKubectlAsksOfPlugins) {
  const Finished commands = RunAs("kubectl_complete-berth", {""});
  EXPECT_EQ(commands.exit_code, 0);
  EXPECT_THAT(commands.output, AllOf(HasSubstr("explain\tShow which nodes"), EndsWith("\n:4\n")));
  EXPECT_THAT(commands.output, Not(HasSubstr("extender")));
  EXPECT_EQ(RunAs("kubectl_complete-berth", {"gangs", "-o", "j"}).output, "json\n:4\n");
  EXPECT_EQ(RunAs("kubectl_complete-berth", {"explain", "-f", ""}).output, ":0\n");
  EXPECT_EQ(RunAs("berth", {"__complete", "man", ""}).output, ":16\n");
  EXPECT_EQ(RunAs("berth", {"__complete", "--he"}).output,
            "--help\tPrint this help message and exit\n:4\n");
}

TEST_F(CliKubectl, CompletesNamesOfTheCluster) {
  FakeApiServer server;
  const std::string kubeconfig = server.WriteKubeconfig(folder_);
  server.Pause();
  const Finished away =
      RunAs("kubectl_complete-berth", {"explain", "--kubeconfig", kubeconfig, "--node", ""});
  EXPECT_EQ(away.output, ":4\n");
  EXPECT_THAT(away.error, IsEmpty()) << "it would stand in the line that is being typed";
  const Finished contexts =
      RunAs("kubectl_complete-berth", {"explain", "--kubeconfig", kubeconfig, "--context", ""});
  EXPECT_THAT(contexts.output, EndsWith("\n:4\n"));
}

TEST_F(CliKubectl, TellsScriptsApart) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(RunAs("berth", {"completion", shell}).output, HasSubstr("berth __complete"));
  }
  EXPECT_EQ(RunAs("berth", {"completion", "cmd"}).exit_code, 2);
}

TEST_F(CliKubectl, BashCompletes) {
  if (Installed("bash").empty()) GTEST_SKIP() << "bash is not installed";
  const auto offered = [this](const std::string& words, int at) {
    return Offered("bash", {"-c", "source <(berth completion bash)\nCOMP_WORDS=(" + words +
                                      ") COMP_CWORD=" + std::to_string(at) +
                                      "\n_berth\nprintf '%s\\n' \"${COMPREPLY[@]}\""});
  };
  EXPECT_EQ(Offered("bash", {"-c", "source <(berth completion bash); complete -p berth"}),
            "complete -F _berth berth\n");
  EXPECT_EQ(offered("berth cap", 1), "capacity\n");
  EXPECT_EQ(offered("berth explain -o ''", 3), "table\nwide\njson\nyaml\n");
  EXPECT_EQ(offered("berth explain --output = js", 4), "json\n");
  EXPECT_EQ(offered("berth explain --output =", 3), "table\nwide\njson\nyaml\n");
  EXPECT_EQ(offered("berth config va", 2), "validate\n");
  folder_.Write("pod.yaml", "");
  EXPECT_EQ(offered("berth explain -f " + (folder_.path() / "pod").string(), 3),
            (folder_.path() / "pod.yaml").string() + "\n");
  EXPECT_EQ(offered("berth man " + folder_.path().string(), 2), folder_.path().string() + "\n");
}

// A real zsh, which types into itself.
TEST_F(CliKubectl, ZshCompletes) {
  if (Installed("zsh").empty()) GTEST_SKIP() << "zsh is not installed";
  // It types the line and Tab, then has the line shown.
  const auto typed = [this](const std::string& line) {
    return Offered("zsh", {"-f", "-c", R"zsh(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; autoload -U compinit; compinit -u -D"
zpty -w shell 'source <(berth completion zsh)'
zpty -w shell 'report() { print -r "<<$BUFFER>>" }; zle -N report; bindkey "^G" report'
zpty -w shell 'print rea""dy'
zpty -r -m shell seen '*ready*'
zpty -w -n shell "$1"$'\t\a'
zpty -r -m shell seen '*<<*>>*'
print -r -- "${${seen##*<<}%%>>*}"
zpty -d shell
)zsh",
                           "zsh", line});
  };
  EXPECT_EQ(typed("berth cap"), "berth capacity \n");
  EXPECT_EQ(typed("berth explain -o js"), "berth explain -o json \n");
  EXPECT_EQ(typed("berth explain --output=js"), "berth explain --output=json \n");
}

TEST_F(CliKubectl, FishCompletes) {
  if (Installed("fish").empty()) GTEST_SKIP() << "fish is not installed";
  const auto offered = [this](const std::string& line) {
    return Offered("fish", {"--no-config", "-c",
                            "berth completion fish | source; complete -C '" + line + "'"});
  };
  EXPECT_THAT(offered("berth cap"), StartsWith("capacity\t"));
  EXPECT_EQ(offered("berth explain -o "), "json\ntable\nwide\nyaml\n");
  EXPECT_EQ(offered("berth explain --output=js"), "--output=json\n");
}

class ManPages : public CliKubectl {
 protected:
  // All pages, as arguments of a program.
  std::vector<std::string> Written() const {
    const fs::path pages = folder_.path() / "pages";
    const Finished run = RunAs("berth", {"man", pages.string()});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(pages)) files.push_back(entry.path().string());
    EXPECT_THAT(files, ::testing::Contains(EndsWith("/berth-explain.1")));
    EXPECT_THAT(files, ::testing::Contains(EndsWith("/berth-config-docs.1")));
    return files;
  }
};

TEST_F(ManPages, HaveNoErrorForGroff) {
  if (Installed("groff").empty()) GTEST_SKIP() << "groff is not installed";
  for (const std::string& file : Written()) {
    const Finished run = RunIn(Installed("groff"), {"-ww", "-z", "-man", "-Tutf8", file});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.error, IsEmpty());
  }
}

TEST_F(ManPages, HaveNoErrorForMandoc) {
  if (Installed("mandoc").empty()) GTEST_SKIP() << "mandoc is not installed";
  std::vector<std::string> arguments = {"-T", "lint", "-W", "warning"};
  for (std::string& file : Written()) arguments.push_back(std::move(file));
  const Finished run = RunIn(Installed("mandoc"), arguments);
  std::istringstream complaints(run.output);
  // Pages have no date, so that the same sources make the same pages.
  for (std::string line; std::getline(complaints, line);) {
    EXPECT_THAT(line, HasSubstr("WARNING: missing date"));
  }
}

TEST_F(ManPages, SayWhereTheyCannotBeWritten) {
  const std::string file = folder_.Write("file", "");
  const Finished run = RunAs("berth", {"man", file});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, HasSubstr("berth man: " + file + ": cannot be created"));
}

}  // namespace
}  // namespace berth::tests
