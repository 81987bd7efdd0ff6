#include "yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::yaml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Repeat(const std::string& text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

// Nine anchors of nine aliases each: half a kilobyte that stands for 9^9 values.
std::string BillionLaughs() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias +
            Repeat(", " + alias, 8) + "]\n";
  }
  return text;
}

TEST(ParseYaml, GivesEachDocumentThatHasContent) {
  const YamlDocuments yaml = ParseYaml("---\na: 1\n---\n# nothing\n---\n- 2\n", "f");
  ASSERT_TRUE(yaml.errors.empty());
  ASSERT_EQ(yaml.documents.size(), 2u);
  EXPECT_EQ(yaml.documents[0]["a"].Scalar(), "1");
  EXPECT_EQ(LineOf(yaml.documents[1]), 6);
}

TEST(ParseYaml, OfNothingIsNoDocument) {
  for (const char* text : {"", "\n", "# comment\n", "---\n", "---\n...\n", "~"}) {
    const YamlDocuments yaml = ParseYaml(text, "f");
    EXPECT_TRUE(yaml.documents.empty()) << text;
    EXPECT_TRUE(yaml.errors.empty()) << text;
  }
}

TEST(ParseYaml, FollowsAliases) {
  const YamlDocuments yaml = ParseYaml("a: &x {b: 1}\nc: *x\nd: [*x, *x]\n", "f");
  ASSERT_TRUE(yaml.errors.empty());
  EXPECT_EQ(yaml.documents[0]["d"][1]["b"].Scalar(), "1");
}

TEST(ParseYaml, TellsWhereTheSyntaxIsBroken) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"a: [1\nb: 2", "f:2: is not YAML: end of sequence flow not found"},
      {"a: {b: 1\n", "f:2: is not YAML: end of map flow not found"},
      {"ok: 1\na: b: c\n", "f:2: is not YAML: illegal map value"},
      {"a:\n\tb: c\n", "f:2: is not YAML: illegal map value"},
      {"a: *no\n", "f:1: is not YAML: the referenced anchor is not defined"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ToString(ParseYaml(test.text, "f").errors), test.error) << test.text;
  }
}

// Without an end to them it would take all memory there is.
TEST(ParseYaml, EndsAtACommaWhereADocumentBegins) {
  for (const char* text : {",", ", * *aa", "%TAG ! x\n,", "---\n,", "a: 1\n---\n, b"}) {
    const YamlDocuments yaml = ParseYaml(text, "f");
    EXPECT_THAT(ToString(yaml.errors), HasSubstr("is not YAML: ")) << text;
  }
  EXPECT_EQ(ToString(ParseYaml("- a\n, b\n", "f").errors),
            "f:2: is not YAML: no value can begin like this");
}

TEST(ParseYaml, FindsEveryDuplicateKey) {
  const YamlDocuments yaml =
      ParseYaml("a: 1\nb:\n- {c: 1}\n- c: 1\n  d: 2\n  c: 3\n'a': 2\na: 3\n", "f");
  EXPECT_EQ(ToString(yaml.errors),
            "f:6: b[1].c: is given in line 4 already; keep one\n"
            "f:7: a: is given in line 1 already; keep one\n"
            "f:8: a: is given in line 1 already; keep one");
}

TEST(ParseYaml, RefusesKeysThatAreNotText) {
  EXPECT_EQ(ToString(ParseYaml("a:\n  ? [1, 2]\n  : 3\n", "f").errors),
            "f:2: a: has a key that is not text");
}

TEST(ParseYaml, RefusesWhatIsTooMuch) {
  const struct {
    const char* what;
    std::string text;
    const char* error;
  } cases[] = {
      {"bytes", "a: " + std::string(kMaxYamlBytes, 'x'), "is longer than 1048576 bytes"},
      {"flow depth", Repeat("[", 65) + Repeat("]", 65), "is nested deeper than 64 levels"},
      {"great flow depth", Repeat("[", 100'000), "is nested deeper than 64 levels"},
      {"great block depth", Repeat("- ", 100'000), "is nested deeper than 64 levels"},
      {"great map depth", Repeat("{a: ", 100'000), "is nested deeper than 64 levels"},
      {"an alias of what is around it", "&a [*a]", "is nested deeper than 64 levels"},
      {"aliases of aliases", BillionLaughs(), "has more than 200000 values"},
      {"aliases in many documents",
       Repeat("---\na: &a [x" + Repeat(", x", 300) + "]\nb: [*a" + Repeat(", *a", 300) + "]\n", 3),
       "has more than 200000 values"},
      {"aliases of a long text",
       "a: &a " + std::string(100'000, 'x') + "\nb: [*a" + Repeat(", *a", 50) + "]\n",
       "has more than 4194304 bytes, because of its aliases"},
      {"aliases of a long key",
       "a: &a {? " + std::string(100'000, 'x') + " : 1}\nb: [*a" + Repeat(", *a", 50) + "]\n",
       "has more than 4194304 bytes, because of its aliases"},
  };
  for (const auto& test : cases) {
    const YamlDocuments yaml = ParseYaml(test.text, "f");
    ASSERT_EQ(yaml.errors.size(), 1u) << test.what;
    EXPECT_THAT(yaml.errors[0].message, HasSubstr(test.error)) << test.what;
  }
}

TEST(ParseYaml, CutsPathsThatAreTooLong) {
  const std::string key(300, 'x');
  EXPECT_EQ(ToString(ParseYaml("a: {? " + key + " : {b: 1, b: 2}}\n", "f").errors),
            "f:1: a...: is given in line 1 already; keep one");
}

// Or one kilobyte would give errors until the memory is exhausted.
TEST(ParseYaml, CountsKeysThatAreNotText) {
  const std::string odd = "{? [] : 1" + Repeat(", ? [] : 1", 999) + "}";
  const YamlDocuments yaml =
      ParseYaml("a: &a " + odd + "\nb: [*a" + Repeat(", *a", 999) + "]\n", "f");
  EXPECT_LE(yaml.errors.size(), kMaxYamlValues + 1);
  ASSERT_FALSE(yaml.errors.empty());
  EXPECT_THAT(yaml.errors.back().message, HasSubstr("has more than 200000 values"));
}

TEST(ParseYaml, TakesWhatIsJustWithinTheLimits) {
  EXPECT_TRUE(ParseYaml(Repeat("[", 64) + Repeat("]", 64), "f").errors.empty());
  EXPECT_TRUE(ParseYaml("a: " + std::string(kMaxYamlBytes - 3, 'x'), "f").errors.empty());
}

// Truncated and mutilated texts: whatever comes, it is a result and no crash.
TEST(ParseYaml, SurvivesEveryPrefix) {
  const std::string text =
      "a: &x {b: [1, '2', \"\\u00e9\"]}\nc: *x\n? d\n: |\n  text\n---\n- !!str 1\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const YamlDocuments yaml = ParseYaml(text.substr(0, length), "f");
    EXPECT_TRUE(yaml.errors.empty() || yaml.errors[0].file == "f");
  }
}

}  // namespace
}  // namespace berth::yaml
