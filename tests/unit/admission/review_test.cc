#include "admission/review.h"

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ReviewOf(const std::string& request) {
  return R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": )" +
         request + "}";
}

std::string ErrorOf(const std::string& body) {
  kube::JsonParser parser;
  return std::string(ReadReview(parser, body).status().message());
}

TEST(ReadReviewTest, ReadsWhatIsAsked) {
  kube::JsonParser parser;
  const auto review = ReadReview(parser, ReviewOf(R"({
    "uid": "705ab4f5", "kind": {"group": "batch", "version": "v1", "kind": "Job"},
    "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
    "subResource": "status", "requestKind": {"group": "batch", "version": "v1beta1", "kind": "Job"},
    "name": "train", "namespace": "team", "operation": "UPDATE", "dryRun": true,
    "userInfo": {"username": "alice", "uid": "1", "groups": ["a", "b"], "extra": {"x": ["y"]}},
    "object": {"new": 1}, "oldObject": {"old": 1}, "options": {}})"));
  ASSERT_TRUE(review.ok()) << review.status();
  EXPECT_EQ(review->uid, "705ab4f5");
  EXPECT_EQ(review->kind, (GroupVersionKind{"batch", "v1", "Job"}));
  EXPECT_EQ(ToString(review->kind), "Job of batch/v1");
  EXPECT_EQ(review->sub_resource, "status");
  EXPECT_EQ(review->operation, policies::admission::Operation::kUpdate);
  EXPECT_EQ(review->namespace_name, "team");
  EXPECT_EQ(review->user.name, "alice");
  EXPECT_THAT(review->user.groups, ElementsAre("a", "b"));
  ASSERT_TRUE(review->object && review->old_object);
  EXPECT_EQ(simdjson::minify(*review->object), R"({"new":1})");
  EXPECT_EQ(simdjson::minify(*review->old_object), R"({"old":1})");
}

TEST(ReadReviewTest, TakesNullObjects) {
  kube::JsonParser parser;
  const auto review = ReadReview(parser, ReviewOf(R"({
    "uid": "u", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "DELETE",
    "object": null, "oldObject": {}})"));
  ASSERT_TRUE(review.ok()) << review.status();
  EXPECT_EQ(ToString(review->kind), "Pod of v1");
  EXPECT_FALSE(review->object);
  EXPECT_TRUE(review->old_object);
}

TEST(ReadReviewTest, RefusesWhatCannotBeAnswered) {
  const std::string request = R"("kind": {"version": "v1", "kind": "Pod"}, "operation": "CREATE")";
  const struct {
    std::string body;
    const char* error;
  } cases[] = {
      {"", "the text is empty; expected JSON"},
      {"{", "not JSON"},
      {"[]", "AdmissionReview: expected an object, got array"},
      {"{}", "AdmissionReview.apiVersion: is \"\"; write admissionReviewVersions: [v1]"},
      {R"({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview"})",
       "apiVersion: is \"admission.k8s.io/v1beta1\"; write admissionReviewVersions: [v1]"},
      {R"({"apiVersion": "admission.k8s.io/v1", "kind": "Pod"})",
       "kind: is \"Pod\", expected AdmissionReview"},
      {R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"})",
       "AdmissionReview.request: is missing"},
      {ReviewOf("null"), "AdmissionReview.request: is missing"},
      {ReviewOf("[]"), "AdmissionReview.request: expected an object, got array"},
      {ReviewOf("{" + request + "}"), "request.uid: is missing"},
      {ReviewOf(R"({"uid": 5, )" + request + "}"), "request.uid: expected a string, got number"},
      {ReviewOf(R"({"uid": ")" + std::string(254, 'u') + "\", " + request + "}"),
       "request.uid: has 254 bytes, more than the 253 of a name"},
      {ReviewOf(R"({"uid": ")" + std::string(1 << 20, 'u') + "\", " + request + "}"),
       "request.uid: has 1048576 bytes"},
      {ReviewOf(R"({"uid": "u", "operation": "CREATE"})"), "request.kind.kind: is missing"},
      {ReviewOf(R"({"uid": "u", "kind": {"kind": "Pod"}, "operation": "LIST"})"),
       "request.operation: is \"LIST\", expected CREATE, UPDATE, DELETE or CONNECT"},
      {ReviewOf(R"({"uid": "u", "object": [], )" + request + "}"),
       "request.object: expected an object, got array"},
      {ReviewOf(R"({"uid": "u", "oldObject": "", )" + request + "}"),
       "request.oldObject: expected an object, got string"},
      {ReviewOf(R"({"uid": "u", "userInfo": {"groups": [{}]}, )" + request + "}"),
       "request.userInfo.groups[0]: expected a string, got object"},
      {ReviewOf(R"({"uid": "u", "object": {"a": )" + std::string(100, '[') + std::string(100, ']') +
                "}, " + request + "}"),
       "nests more than 64"},
  };
  for (const auto& test : cases) {
    EXPECT_THAT(ErrorOf(test.body), HasSubstr(test.error)) << test.body.substr(0, 200);
  }
}

// Whatever somebody writes there: nobody judges it.
TEST(ReadReviewTest, LeavesOutManagedFieldsThatItCannotRead) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  std::string many = "[0";
  for (int i = 0; i < 250'000; ++i) many += ",0";
  many += "]";
  const std::string huge = "[123456789012345678901234567890]";
  for (const std::string& fields : {deep, many, huge}) {
    const std::string metadata = R"({"name": "p", "managedFields" : )" + fields + "}";
    const std::string object = R"({"metadata": )" + metadata + R"(, "spec": {"template": {)" +
                               R"("metadata": )" + metadata + R"(, "spec": {"a": 1}}}})";
    kube::JsonParser parser(250'000);
    const auto review = ReadReview(parser, ReviewOf(R"({"uid": "u", "kind": {"version": "v1", )"
                                                    R"("kind": "Pod"}, "operation": "UPDATE", )"
                                                    R"("object": )" +
                                                    object + R"(, "oldObject": )" + object + "}"));
    ASSERT_TRUE(review.ok()) << review.status();
    for (const auto& read : {review->object, review->old_object}) {
      EXPECT_EQ(simdjson::minify(*read),
                R"({"metadata":{"name":"p","managedFields":null},"spec":{"template":{)"
                R"("metadata":{"name":"p","managedFields":null},"spec":{"a":1}}}})");
    }
  }
}

TEST(ReadOldObjectTest, ReadsTheStoredObjectOfAReviewThatItselfCannotBeRead) {
  constexpr std::size_t kMost = 100;
  const auto numbers = [](std::size_t count) {
    std::string list = "[0";
    for (std::size_t i = 1; i < count; ++i) list += ",0";
    return list + "]";
  };
  const auto is_read = [&](const std::string& object) {
    kube::JsonParser parser(kMost);
    const std::string body = ReviewOf(R"({"uid": "u", "object": {"oldObject": )" + numbers(kMost) +
                                      R"(}, "oldObject": )" + object + "}");
    EXPECT_FALSE(ReadReview(parser, body).ok());
    const auto read = ReadOldObject(parser, body);
    return read && simdjson::minify(*read).starts_with('{');
  };
  EXPECT_TRUE(is_read(R"({"a": )" + numbers(kMost - 4) + "}"));
  EXPECT_FALSE(is_read(R"({"a": )" + numbers(kMost) + "}"));
  // In a review it is two levels deeper.
  EXPECT_TRUE(is_read(R"({"a": )" + std::string(61, '[') + std::string(61, ']') + "}"));
  EXPECT_FALSE(is_read(R"({"a": )" + std::string(62, '[') + std::string(62, ']') + "}"));
  EXPECT_TRUE(is_read(R"({"metadata": {"managedFields": )" + numbers(kMost) + "}}"));
  for (const char* none : {"null", "5", "[]"}) EXPECT_FALSE(is_read(none)) << none;
  kube::JsonParser parser;
  for (const char* body : {"", "{", "5"}) EXPECT_FALSE(ReadOldObject(parser, body)) << body;
}

TEST(OutlineOfTest, HasWhoCreatedAndWhoOwnsTheObject) {
  const std::string job =
      R"({"kind": "Job", "metadata": {"name": "j", "annotations": {"a": "b"}, "ownerReferences":)"
      R"([{"kind": "K"}]}, "status": {}, "spec": {"template": {"spec": {"x": 1}, "metadata":)"
      R"({"labels": {}, "annotations": {"c": ""}}}}})";
  EXPECT_EQ(OutlineOf(job),
            R"({"metadata":{"annotations":{"a": "b"},"ownerReferences":[{"kind": "K"}]},)"
            R"("spec":{"template":{"metadata":{"annotations":{"c": ""}}}}})");
  const std::string nothing = R"({"metadata":{"annotations":null,"ownerReferences":null},)"
                              R"("spec":{"template":{"metadata":{"annotations":null}}}})";
  for (const std::string object : {"{}", "5", "", R"({"metadata": 5, "spec": [{}]})"}) {
    EXPECT_EQ(OutlineOf(object), nothing) << object;
  }
  EXPECT_EQ(OutlineOf(nothing), nothing);
}

TEST(ReadReviewOutlineTest, KeepsTheRequestAndTheOutlinesOfItsObjects) {
  kube::JsonParser parser;
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const auto object = [&deep](const std::string& creator) {
    return R"({"spec": )" + deep + R"(, "metadata": {"annotations": {"by": ")" + creator + "\"}}}";
  };
  const std::string body =
      ReviewOf(R"({"uid": "u", "kind": {"version": "v1", "kind": "Pod"}, "operation": "UPDATE",)"
               R"("userInfo": {"username": "alice"}, "object": )" +
               object("new") + R"(, "oldObject": )" + object("old") + "}");
  EXPECT_THAT(ErrorOf(body), HasSubstr("nests more than 64"));
  const auto outline = ReadReviewOutline(parser, body);
  ASSERT_TRUE(outline.ok()) << outline.status();
  EXPECT_EQ(outline->uid, "u");
  EXPECT_EQ(outline->user.name, "alice");
  EXPECT_EQ(outline->operation, policies::admission::Operation::kUpdate);
  ASSERT_TRUE(outline->object && outline->old_object);
  EXPECT_THAT(simdjson::minify(*outline->object), HasSubstr(R"("annotations":{"by":"new"})"));
  EXPECT_THAT(simdjson::minify(*outline->old_object), HasSubstr(R"("annotations":{"by":"old"})"));
  for (const char* text : {"", "{", "5"}) EXPECT_FALSE(ReadReviewOutline(parser, text).ok());
}

nlohmann::json ReplyTo(const Answer& answer) {
  return nlohmann::json::parse(ReviewReply("u-1", answer));
}

TEST(ReviewReplyTest, AllowsByDefault) {
  EXPECT_EQ(ReplyTo({}), nlohmann::json::parse(R"({
    "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
    "response": {"uid": "u-1", "allowed": true}})"));
}

TEST(ReviewReplyTest, CarriesPatchWarningsAndAuditAnnotations) {
  const auto response = ReplyTo({.patch = R"([{"op":"remove","path":"/a"}])",
                                 .warnings = {"berth: one", "berth: two"},
                                 .audit_annotations = {{"creator", "0.1.0: changed"}}})["response"];
  EXPECT_EQ(response["allowed"], true);
  EXPECT_EQ(response["patchType"], "JSONPatch");
  std::string patch;
  ASSERT_TRUE(absl::Base64Unescape(response["patch"].get<std::string>(), &patch));
  EXPECT_EQ(patch, R"([{"op":"remove","path":"/a"}])");
  EXPECT_EQ(response["warnings"], nlohmann::json({"berth: one", "berth: two"}));
  EXPECT_EQ(response["auditAnnotations"], nlohmann::json({{"creator", "0.1.0: changed"}}));
}

TEST(ReviewReplyTest, DeniesWithAStatus) {
  const auto response = ReplyTo({.denial = "berth x: y; write z"})["response"];
  EXPECT_EQ(response["allowed"], false);
  EXPECT_EQ(response["status"]["code"], 422);
  EXPECT_EQ(response["status"]["reason"], "Invalid");
  EXPECT_EQ(response["status"]["message"], "berth x: y; write z");
  EXPECT_FALSE(response.contains("patch"));
}

TEST(ReviewReplyTest, StaysJsonWhateverIsSaid) {
  const auto response = ReplyTo({.denial = "\x01\xff\"\n"})["response"];
  EXPECT_THAT(response["status"]["message"].get<std::string>(), StartsWith("\x01"));
}

}  // namespace
}  // namespace berth::admission
