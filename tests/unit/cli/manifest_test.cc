#include "cli/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string ErrorsOf(const std::string& text) {
  return yaml::ToString(ParseManifest(text, "f").errors);
}

TEST(ParseManifest, FindsTheObjectsOfAllDocuments) {
  const Manifest manifest = ParseManifest(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: team}\n"
      "---\n# nothing\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {generateName: b-}\n",
      "f");
  EXPECT_EQ(yaml::ToString(manifest.errors), "");
  EXPECT_THAT(manifest.documents, SizeIs(2));
  ASSERT_THAT(manifest.objects, SizeIs(2));
  EXPECT_EQ(manifest.objects[0].kind, (admission::GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(manifest.objects[0].name, "a");
  EXPECT_EQ(manifest.objects[0].namespace_name, "team");
  EXPECT_EQ(manifest.objects[0].line, 2);
  EXPECT_EQ(manifest.objects[0].document, 0u);
  EXPECT_EQ(manifest.objects[1].kind, (admission::GroupVersionKind{"batch", "v1", "Job"}));
  EXPECT_EQ(manifest.objects[1].name, "b-");
  EXPECT_EQ(manifest.objects[1].line, 8);
  EXPECT_EQ(manifest.objects[1].document, 1u);
  EXPECT_EQ(manifest.objects[1].json,
            R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"generateName":"b-"}})");
}

TEST(ParseManifest, TakesListsApart) {
  const Manifest manifest = ParseManifest(
      R"({"apiVersion": "v1", "kind": "List", "items": [
	{"apiVersion": "v1", "kind": "Pod"},
	{"apiVersion": "v1", "kind": "PodList", "items": [
		{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "deep"}}]}]})",
      "f");
  EXPECT_EQ(yaml::ToString(manifest.errors), "");
  ASSERT_THAT(manifest.objects, SizeIs(2));
  EXPECT_EQ(manifest.objects[0].pointer, "/items/0");
  EXPECT_EQ(manifest.objects[1].pointer, "/items/1/items/0");
  EXPECT_EQ(manifest.objects[1].name, "deep");
  EXPECT_EQ(manifest.objects[1].line, 4);
}

TEST(ParseManifest, SaysWhatIsNoObject) {
  EXPECT_EQ(ErrorsOf(""), "f: is empty; give the manifest of a pod or a Job");
  EXPECT_THAT(ErrorsOf("# only a comment\n"), HasSubstr("f: is empty"));
  EXPECT_THAT(ErrorsOf("- a\n"), HasSubstr("f:1: is not a Kubernetes object"));
  EXPECT_THAT(
      ErrorsOf("a: 1\n---\nkind: Pod\n"),
      HasSubstr("f:1: has no apiVersion or no kind; write them, such as apiVersion: batch/v1"));
  EXPECT_THAT(ErrorsOf("kind: [\n"), HasSubstr("is not YAML"));
  EXPECT_THAT(ErrorsOf("kind: Pod\nkind: Pod\n"), HasSubstr("f:2: kind: is given in line 1"));
}

TEST(ReadManifest, NamesTheFile) {
  EXPECT_EQ(yaml::ToString(ReadManifest("/nonexistent").errors),
            "/nonexistent: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace berth::cli
