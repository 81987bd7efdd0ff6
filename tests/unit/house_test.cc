// The rules of the house that a compiler does not know: which folder may include which, what
// policies must not do, what must not be called alike, and where Boost.Beast is.
// docs/architecture.md explains them, and has the table of folders that is read here. Runs in the
// root of the repository.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace berth {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;
using ::testing::SizeIs;

namespace fs = std::filesystem;

using Names = std::set<std::string>;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// All that the expression's one group matches in `text`.
std::vector<std::string> Matches(const re2::RE2& expression, const std::string& text) {
  std::vector<std::string> found;
  re2::StringPiece rest(text);
  std::string match;
  while (re2::RE2::FindAndConsume(&rest, expression, &match)) found.push_back(match);
  return found;
}

/// For each folder with sources those that it may include, besides itself. Nothing: all of them.
using Rules = std::map<std::string, std::optional<Names>>;

/// The rows of the table of folders that say what a folder may include: | `a/` | job | `b`, `c` |
Rules RulesOf(const std::string& page) {
  static const re2::RE2 row(R"re((?m)^\| `([a-z]+)/` \|.*\| ([^|]+) \|$)re");
  static const re2::RE2 folder("`([a-z]+)`");
  Rules rules;
  re2::StringPiece rest(page);
  std::string name;
  std::string may_include;
  while (re2::RE2::FindAndConsume(&rest, row, &name, &may_include)) {
    const std::vector<std::string> folders = Matches(folder, may_include);
    if (folders.empty() && may_include != "nothing" && may_include != "everything") continue;
    if (may_include == "everything") {
      rules[name] = std::nullopt;
    } else {
      rules[name] = Names(folders.begin(), folders.end());
    }
  }
  rules.erase("tests");
  return rules;
}

const Rules& Allowed() {
  static const Rules rules = RulesOf(ReadFile("docs/architecture.md"));
  return rules;
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
  return Matches(include, text);
}

bool Has(const std::string& text, const std::string& part) {
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
    if (climbs || (ours && rule->second && !rule->second->contains(folder))) {
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
    if (Has(source.text, token)) found.push_back(source.path + " has " + token);
  }
  return found;
}

bool IncludesBeast(const Source& source) {
  for (const std::string& name : Includes(source.text)) {
    if (name.starts_with("boost/beast")) return true;
  }
  return false;
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

/// "policies/admission/x.cc is in berth::webhook": a namespace is called as the path of its folder,
/// so that a qualified name says where to look.
std::vector<std::string> MisnamedNamespaces(const Source& source) {
  static const re2::RE2 space(R"re((?m)^namespace (berth[a-z_:]*) \{)re");
  std::string expected = "berth::" + fs::path(source.path).parent_path().generic_string();
  for (std::size_t at = 0; (at = expected.find('/', at)) != std::string::npos;) {
    expected.replace(at, 1, "::");
  }
  std::vector<std::string> found;
  for (const std::string& name : Matches(space, source.text)) {
    if (name != expected) found.push_back(source.path + " is in " + name);
  }
  return found;
}

/// What anonymous namespaces of `text` declare, each as it may stand but once in what is compiled
/// together: types and constants by their names, functions with their parameters.
std::vector<std::string> OwnNames(const std::string& text) {
  static const re2::RE2 block(R"re((?ms)^namespace \{\n(.*?)^\}  // namespace$)re");
  static const re2::RE2 type(R"re((?m)^((?:struct|class|enum(?: class)?) \w+)[ ;])re");
  static const re2::RE2 constant(R"re((?m)^(?:inline )?const(?:expr)? [^(\n]*?\b(k[A-Z]\w*)\b)re");
  static const re2::RE2 function(
      R"re((?m)^[A-Za-z][\w:<>,*& ]* \**&*([A-Z]\w*\([^;{]*?\))(?: const)? \{)re");
  std::vector<std::string> names;
  for (const std::string& own : Matches(block, text)) {
    for (const re2::RE2* kind : {&type, &constant, &function}) {
      for (std::string& name : Matches(*kind, own)) names.push_back(std::move(name));
    }
  }
  return names;
}

/// The aliases outside of classes and functions: "using Rules", and what it stands for.
std::vector<std::pair<std::string, std::string>> Aliases(const std::string& text) {
  static const re2::RE2 alias(R"re((?m)^((?:using|namespace) \w+) = ([^;]+);)re");
  std::vector<std::pair<std::string, std::string>> found;
  re2::StringPiece rest(text);
  std::string name;
  std::string meaning;
  while (re2::RE2::FindAndConsume(&rest, alias, &name, &meaning)) found.emplace_back(name, meaning);
  return found;
}

/// "cli/a.cc and cli/b.cc both have Print(int)": a unity build that puts them into one batch
/// breaks, and which batch that is changes with every file that is added.
std::vector<std::string> NameClashes(const std::vector<Source>& sources) {
  static const re2::RE2 space("((?m)^namespace berth::[a-z_:]+ )");
  std::map<std::string, std::string> first;
  std::map<std::string, std::pair<std::string, std::string>> aliases;
  std::vector<std::string> found;
  for (const Source& source : sources) {
    if (source.IsHeader()) continue;
    const std::vector<std::string> around = Matches(space, source.text);
    const std::string place = source.Folder() + ' ' + (around.empty() ? "" : around.front());
    for (const std::string& name : OwnNames(source.text)) {
      const auto [at, is_new] = first.emplace(place + name, source.path);
      if (!is_new && at->second != source.path) {
        found.push_back(at->second + " and " + source.path + " both have " + name);
      }
    }
    for (const auto& [name, meaning] : Aliases(source.text)) {
      const auto [at, is_new] = aliases.emplace(place + name, std::pair(source.path, meaning));
      if (!is_new && at->second.second != meaning) {
        found.push_back(at->second.first + " and " + source.path + " both have " + name);
      }
    }
  }
  return found;
}

template <typename Check>
std::vector<std::string> All(Check check) {
  std::vector<std::string> found;
  for (const Source& source : Sources()) {
    for (std::string& violation : check(source)) found.push_back(std::move(violation));
  }
  return found;
}

TEST(HouseTest, HasRules) {
  EXPECT_THAT(Allowed(), Contains(Key("policies")));
  EXPECT_EQ(Allowed().at("policies"), Names{"model"});
  EXPECT_EQ(Allowed().at("cli"), std::nullopt);
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

TEST(HouseTest, SourcesOfAFolderCallDifferentThingsDifferently) {
  EXPECT_THAT(NameClashes(Sources()), IsEmpty());
}

TEST(HouseTest, NamespacesAreCalledAsTheirFolders) {
  EXPECT_THAT(All(MisnamedNamespaces), IsEmpty());
}

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

TEST(HouseRulesTest, AreThoseOfTheTable) {
  EXPECT_THAT(RulesOf("| folder | job | may include |\n|---|---|---|\n"
                      "| `a/` | the words | nothing |\n"
                      "| `b/` | reads `c/x.h` | `a`, `c` |\n"
                      "| `c/` | commands | everything |\n"
                      "| `charts/x/` | the chart | |\n"
                      "| `image/` | the image | |\n"),
              ElementsAre(Pair("a", Names()), Pair("b", Names{"a", "c"}), Pair("c", std::nullopt)));
}

TEST(HouseRulesTest, FindNameClashes) {
  const auto source = [](const std::string& path, const std::string& own) {
    return Source{path, "namespace berth::cli {\nnamespace {\n" + own + "}  // namespace\n}\n"};
  };
  const Source first = source("cli/a.cc",
                              "struct Arguments {\n  int count;\n};\nconstexpr int kMost = 3;\n"
                              "int Print(const Arguments& arguments) {\n  return 0;\n}\n");
  const Source second = source("cli/b.cc",
                               "struct Arguments {\n};\nconstexpr char kMost[] = \"3\";\n"
                               "int Print(const Arguments& arguments) {\n  return 1;\n}\n"
                               "int Print(int count) {\n  return count;\n}\n");
  EXPECT_THAT(NameClashes({first, second}),
              ElementsAre("cli/a.cc and cli/b.cc both have struct Arguments",
                          "cli/a.cc and cli/b.cc both have kMost",
                          "cli/a.cc and cli/b.cc both have Print(const Arguments& arguments)"));
  EXPECT_THAT(NameClashes({first, source("kube/a.cc", "struct Arguments {\n};\n")}), IsEmpty());
}

TEST(HouseRulesTest, FindAliasesOfTwoMeanings) {
  const auto source = [](const std::string& path, const std::string& own) {
    return Source{path, "namespace berth::cli {\nnamespace {\n" + own + "}  // namespace\n}\n"};
  };
  const Source first = source("cli/a.cc", "using Names = std::set<int>;\nnamespace pb = a::b;\n");
  EXPECT_THAT(NameClashes({first, source("cli/b.cc", "using Names = std::vector<int>;\n")}),
              ElementsAre("cli/a.cc and cli/b.cc both have using Names"));
  EXPECT_THAT(NameClashes({first, source("cli/b.cc", "namespace pb = a::c;\n")}), SizeIs(1));
  EXPECT_THAT(NameClashes({first, source("cli/b.cc", "namespace pb = a::b;\n")}), IsEmpty());
}

TEST(HouseRulesTest, FindMisnamedNamespaces) {
  EXPECT_THAT(MisnamedNamespaces({"policies/admission/x.cc", "namespace berth::webhook {\n"}),
              ElementsAre("policies/admission/x.cc is in berth::webhook"));
  EXPECT_THAT(MisnamedNamespaces({"cli/x.h", "namespace berth {\n"}), SizeIs(1));
  EXPECT_THAT(MisnamedNamespaces({"policies/admission/x.cc",
                                  "namespace berth::policies::admission {\nnamespace {\n"}),
              IsEmpty());
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
