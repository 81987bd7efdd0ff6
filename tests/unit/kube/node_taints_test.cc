#include "kube/node_taints.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using testing::IsEmpty;

/// A list of the one node, as kube-apiserver writes it.
std::string ListOfNodeWith(const std::string& taints) {
  return R"({"kind":"NodeList","items":[{"metadata":{"name":"a","uid":"u-1",)"
         R"("resourceVersion":"7"},"spec":{"podCIDR":"10.0.0.0/24")" +
         (taints.empty() ? "" : R"(,"taints":)" + taints) + "}}]}";
}

/// The patch that sets the taints to these.
std::string PatchTo(const std::string& taints) {
  return R"({"metadata":{"resourceVersion":"7","uid":"u-1"},"spec":{"taints":)" + taints + "}}";
}

constexpr char kOwn[] = R"({"effect":"NoSchedule","key":"berth.dev/excluded","value":"GPUIsLost"})";
constexpr char kForeign[] =
    R"({"effect":"NoExecute","key":"a","timeAdded":"2026-01-31T12:00:00Z"})";
constexpr char kLast[] = R"({"effect":"NoSchedule","key":"z","value":"x"})";

std::string List(const std::vector<std::string>& taints) {
  std::string text;
  for (const std::string& taint : taints) text += (text.empty() ? "" : ",") + taint;
  return "[" + text + "]";
}

std::string Patch(const std::string& taints, std::optional<std::string> value) {
  const auto patch = TaintsPatch(ListOfNodeWith(taints), "u-1",
                                 {.key = "berth.dev/excluded", .value = std::move(value)});
  EXPECT_TRUE(patch.ok()) << patch.status();
  return patch.value_or("an error");
}

TEST(TaintsPatch, AddsTheTaintBehindAllOthers) {
  EXPECT_EQ(Patch("", "GPUIsLost"), PatchTo(List({kOwn})));
  EXPECT_EQ(Patch("null", "GPUIsLost"), PatchTo(List({kOwn})));
  EXPECT_EQ(Patch(List({kLast, kForeign}), "GPUIsLost"), PatchTo(List({kLast, kForeign, kOwn})));
}

TEST(TaintsPatch, RemovesTheTaintAndKeepsTheOthersInTheirOrder) {
  EXPECT_EQ(Patch(List({kOwn}), std::nullopt), PatchTo("[]"));
  EXPECT_EQ(Patch(List({kLast, kOwn, kForeign}), std::nullopt), PatchTo(List({kLast, kForeign})));
}

TEST(TaintsPatch, ChangesTheValueInItsPlace) {
  const std::string other =
      R"({"effect":"NoSchedule","key":"berth.dev/excluded","value":"DStateProcess"})";
  EXPECT_EQ(Patch(List({other, kForeign}), "GPUIsLost"), PatchTo(List({kOwn, kForeign})));
}

TEST(TaintsPatch, IsEmptyWhereNothingIsToBeChanged) {
  EXPECT_THAT(Patch(List({kForeign, kOwn}), "GPUIsLost"), IsEmpty());
  EXPECT_THAT(Patch(List({kForeign}), std::nullopt), IsEmpty());
  EXPECT_THAT(Patch("", std::nullopt), IsEmpty());
  EXPECT_THAT(Patch(R"([{"effect":"NoSchedule","key":"berth.dev/excluded"}])", ""), IsEmpty());
}

// Whoever wrote it means something else by it.
TEST(TaintsPatch, LeavesATaintOfTheKeyWithAnotherEffectAlone) {
  const std::string evicting =
      R"({"effect":"NoExecute","key":"berth.dev/excluded","value":"GPUIsLost"})";
  EXPECT_THAT(Patch(List({evicting}), std::nullopt), IsEmpty());
  EXPECT_EQ(Patch(List({evicting}), "GPUIsLost"), PatchTo(List({evicting, kOwn})));
}

TEST(TaintsPatch, IsForTheNodeOfThatUidAlone) {
  for (const std::string& list :
       {ListOfNodeWith(""), std::string(R"({"items":[]})"), std::string(R"({"items":null})")}) {
    EXPECT_TRUE(absl::IsNotFound(TaintsPatch(list, "u-2", {.key = "k", .value = "v"}).status()))
        << list;
  }
}

TEST(TaintsPatch, SurvivesWhatIsNoListOfNodes) {
  for (const char* text : {"", "<html>", "[]", "7", R"({"items":7})", R"({"items":{}})"}) {
    EXPECT_TRUE(absl::IsUnavailable(TaintsPatch(text, "u", {.key = "k"}).status())) << text;
  }
  const char* const odd = R"({"items":[7,null,{"metadata":[]},{"metadata":{"uid":7}}]})";
  EXPECT_TRUE(absl::IsNotFound(TaintsPatch(odd, "u", {.key = "k"}).status()));
  EXPECT_EQ(Patch(R"({"odd":true})", "GPUIsLost"), PatchTo(List({kOwn})));
  EXPECT_EQ(Patch(R"([7,{"key":7}])", "GPUIsLost"), PatchTo(List({"7", R"({"key":7})", kOwn})));
}

}  // namespace
}  // namespace berth::kube
