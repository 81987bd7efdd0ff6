// The rules of the house that a compiler does not know: which folder may include which, what
// policies must not do, and where Boost.Beast is. docs/architecture.md explains them. Runs in the
// root of the repository.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// For each folder those that it may include, besides itself.
const std::map<std::string, Names>& Allowed() {
  static const std::map<std::string, Names> allowed = {
      {"model", {}},
      {"proto", {}},
      {"policies", {"model"}},
      {"kube", {"model", "proto"}},
      {"cluster", {"model", "kube"}},
      {"server", {}},
      {"certs", {}},
      {"extender", {"model", "policies", "kube", "cluster", "server", "proto"}},
      {"admission", {"model", "policies", "kube", "server"}},
      {"controller", {"model", "policies", "kube", "cluster", "server", "certs"}},
      {"cli",
       {"model", "policies", "kube", "cluster", "server", "extender", "admission", "controller",
        "certs", "proto"}},
  };
  return allowed;
}

struct Source {
  std::string path;  // from the root of the repository
  std::string text;

  std::string Folder() const { return path.substr(0, path.find('/')); }
  bool IsHeader() const { return path.ends_with(".h"); }
};

/// What stands between the quotes or brackets of every #include.
std::vector<std::string> Includes(const std::string& text) {
  static const re2::RE2 include(R"re((?m)^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<std::string> names;
  re2::StringPiece rest(text);
  std::string name;
  while (re2::RE2::FindAndConsume(&rest, include, &name)) names.push_back(name);
  return names;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// "policies/x.cc includes kube/y.h"
std::vector<std::string> ForbiddenIncludes(const Source& source) {
  std::vector<std::string> found;
  const auto rule = Allowed().find(source.Folder());
  for (const std::string& name : Includes(source.text)) {
    const std::string folder = name.substr(0, name.find('/'));
    const bool climbs = name.starts_with("..");
    const bool ours = Allowed().contains(folder) && folder != source.Folder();
    if (climbs || (ours && !rule->second.contains(folder))) {
      found.push_back(source.path + " includes " + name);
    }
  }
  return found;
}

/// "policies/x.cc has getenv": clocks, I/O, threads and chance.
std::vector<std::string> Impurities(const Source& source) {
  static const std::vector<std::string> impure = {
      "::now(",     "absl::Now",    "clock_gettime", "time(nullptr)",     "localtime", "getenv",
      "fopen",      "printf",       "random_device", "std::cout",         "std::cerr", "<fstream>",
      "<iostream>", "<filesystem>", "<thread>",      "<mutex>",           "<sys/",     "<unistd.h>",
      "boost/asio", "boost/beast",  "spdlog/",       "absl/time/clock.h", "<random>",
  };
  std::vector<std::string> found;
  for (const std::string& token : impure) {
    if (Contains(source.text, token)) found.push_back(source.path + " has " + token);
  }
  return found;
}

bool IncludesBeast(const Source& source) {
  for (const std::string& name : Includes(source.text)) {
    if (name.starts_with("boost/beast")) return true;
  }
  return false;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Every source of the product; tests may include what they like.
std::vector<Source> Sources() {
  std::vector<Source> sources;
  for (const auto& [folder, unused] : Allowed()) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".h" || path.extension() == ".cc") {
        sources.push_back({path.generic_string(), ReadFile(path)});
      }
    }
  }
  return sources;
}

template <typename Check>
std::vector<std::string> All(Check check) {
  std::vector<std::string> found;
  for (const Source& source : Sources()) {
    for (std::string& violation : check(source)) found.push_back(std::move(violation));
  }
  return found;
}

TEST(HouseTest, HasSourcesInEveryFolder) {
  Names folders;
  for (const Source& source : Sources()) folders.insert(source.Folder());
  for (const auto& [folder, unused] : Allowed()) {
    EXPECT_TRUE(folders.contains(folder) || folder == "proto") << folder << " has no sources";
  }
}

TEST(HouseTest, EveryFolderWithSourcesHasARule) {
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || !fs::exists(entry.path() / "CMakeLists.txt")) continue;
    if (folder == "tests" || folder == "build") continue;
    EXPECT_TRUE(Allowed().contains(folder)) << folder << " has no rule for what it may include";
  }
}

TEST(HouseTest, FoldersIncludeOnlyWhatTheyMay) { EXPECT_THAT(All(ForbiddenIncludes), IsEmpty()); }

TEST(HouseTest, PoliciesHaveNoClockNoInputAndNoOutput) {
  const auto check = [](const Source& source) {
    return source.Folder() == "policies" ? Impurities(source) : std::vector<std::string>();
  };
  EXPECT_THAT(All(check), IsEmpty());
}

TEST(HouseTest, BeastIsCompiledInTwoSourcesAtMost) {
  std::vector<std::string> sources;
  for (const Source& source : Sources()) {
    if (!IncludesBeast(source)) continue;
    EXPECT_FALSE(source.IsHeader()) << source.path << " makes all who include it slow to compile";
    sources.push_back(source.path);
  }
  EXPECT_LE(sources.size(), 2U) << testing::PrintToString(sources);
}

// The checks themselves, on sources that break the rules.

TEST(HouseRulesTest, FindForbiddenIncludes) {
  const Source bad{
      "policies/scheduling/x.cc",
      "#include \"model/node.h\"\n#include \"kube/json.h\"\n# include <server/x.h>\n"
      "#include \"../cli/y.h\"\n#include \"policies/z.h\"\n#include \"fmt/format.h\"\n"};
  EXPECT_THAT(ForbiddenIncludes(bad), ElementsAre("policies/scheduling/x.cc includes kube/json.h",
                                                  "policies/scheduling/x.cc includes server/x.h",
                                                  "policies/scheduling/x.cc includes ../cli/y.h"));
  EXPECT_THAT(ForbiddenIncludes({"server/x.cc", "#include \"model/node.h\"\n"}), SizeIs(1));
  EXPECT_THAT(ForbiddenIncludes({"cluster/x.cc", "#include \"kube/json.h\"\n"}), IsEmpty());
}

TEST(HouseRulesTest, FindImpurities) {
  const Source bad{"policies/x.cc",
                   "#include <fstream>\nauto t = std::chrono::system_clock::now();"};
  EXPECT_THAT(Impurities(bad),
              ElementsAre("policies/x.cc has ::now(", "policies/x.cc has <fstream>"));
  EXPECT_THAT(Impurities({"policies/x.cc", "#include <chrono>\nbool F(Time now);"}), IsEmpty());
}

TEST(HouseRulesTest, FindBeast) {
  EXPECT_TRUE(IncludesBeast({"server/x.h", "#pragma once\n#include <boost/beast/http.hpp>\n"}));
  EXPECT_FALSE(IncludesBeast({"server/x.h", "// boost/beast\n#include <boost/asio.hpp>\n"}));
}

}  // namespace
}  // namespace berth
