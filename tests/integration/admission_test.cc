// The webhook behind its listener, with everything that an API server sends and with what none
// does: each request gets an AdmissionReview, or 400 or 413 with a sentence.

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "admission/webhook.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"
#include "server/listener.h"
#include "tests/integration/server_client.h"

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kMaxBody = 7 * kMiB;

std::shared_ptr<const admission::Reviewer> DefaultReviewer() {
  auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  return std::make_shared<const admission::Reviewer>(
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::move(catalog), "berth.dev", "0.1.0", policies::admission::AdmissionConfig()),
      std::vector<policies::admission::TemplateSpec>());
}

Json PodOf(const Json& spec, const Json& annotations = Json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "p"}, {"annotations", annotations}}},
          {"spec", spec}};
}

Json SpecOf(const Json& resources) {
  return {{"containers", {{{"name", "c"}, {"resources", resources}}}}};
}

Json CreationOf(const Json& object) {
  return {{"uid", "u-1"},
          {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
          {"operation", "CREATE"},
          {"namespace", "team"},
          {"userInfo", {{"username", "alice"}}},
          {"object", object}};
}

std::string ReviewOf(const Json& request) {
  return Json{
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}}
      .dump();
}

class AdmissionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto listener = server::Listener::Start({.address = "127.0.0.1:0"}, webhook_.Routes());
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
  }

  ServerReply Post(const std::string& path, const std::string& body) {
    RawClient client(listener_->port());
    client.Send("POST " + path + " HTTP/1.1\r\nHost: b\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n");
    client.Send(body);
    return client.ReadReply();
  }

  /// The response to a request that gets an AdmissionReview, whose form is checked.
  Json Answered(const std::string& path, const Json& request) {
    const ServerReply reply = Post(path, ReviewOf(request));
    EXPECT_EQ(reply.status, 200) << path << reply.body;
    if (reply.status != 200) return {};
    const Json response = Json::parse(reply.body)["response"];
    EXPECT_EQ(response["uid"], request["uid"]);
    EXPECT_TRUE(response["allowed"].is_boolean());
    for (const Json& warning : response.value("warnings", Json::array())) {
      const std::string text = warning;
      EXPECT_THAT(text.size(), Le(250u)) << text;
      EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; })) << text;
    }
    return response;
  }

  /// The object with the patch of the response.
  static Json Patched(const Json& object, const Json& response) {
    std::string patch;
    EXPECT_TRUE(absl::Base64Unescape(response.value("patch", std::string()), &patch));
    return patch.empty() ? object : object.patch(Json::parse(patch));
  }

  server::Metrics metrics_;
  admission::Webhook webhook_{DefaultReviewer(), metrics_, kMaxBody};
  std::unique_ptr<server::Listener> listener_;
};

const std::vector<std::string>& Paths() {
  static const std::vector<std::string> paths = {"/mutate/enforce", "/mutate/warn",
                                                 "/validate/enforce", "/validate/warn"};
  return paths;
}

TEST_F(AdmissionTest, RefusesWithASentenceWhatIsNoReview) {
  const Json pod = PodOf(SpecOf({}));
  Json long_uid = CreationOf(pod);
  long_uid["uid"] = std::string(kMiB, 'u');
  const struct {
    std::string body;
    const char* words;
  } cases[] = {
      {"", "the text is empty"},
      {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"\xff\"}", "UTF-8"},
      {ReviewOf(nullptr), "request: is missing"},
      {ReviewOf(long_uid), "request.uid: has 1048576 bytes"},
  };
  for (const std::string& path : Paths()) {
    for (const auto& test : cases) {
      const ServerReply reply = Post(path, test.body);
      EXPECT_EQ(reply.status, 400) << test.words;
      EXPECT_THAT(reply.body, HasSubstr(test.words));
      EXPECT_THAT(reply.body, HasSubstr("berth: "));
    }
  }
}

TEST_F(AdmissionTest, DeniesOrWarnsOfWhatItCannotRead) {
  const Json pod = PodOf(SpecOf({}));
  Json array = CreationOf(Json::array());
  Json deep = CreationOf(pod);
  Json nest = Json::object();
  for (int i = 0; i < 100; ++i) nest = {{"a", nest}};
  deep["object"]["spec"]["x"] = nest;
  const struct {
    Json request;
    const char* words;
  } cases[] = {{array, "request.object: expected an object, got array"},
               {deep, "nests more than 64"}};
  for (const std::string& path : Paths()) {
    for (const auto& test : cases) {
      const Json response = Answered(path, test.request);
      EXPECT_EQ(response["allowed"], path.ends_with("warn"));
      EXPECT_THAT(response.dump(), HasSubstr(test.words));
    }
  }
}

// Else anyone could write managedFields that have an object pass unseen, or denied for nothing.
TEST_F(AdmissionTest, JudgesObjectsWhoseManagedFieldsItCannotRead) {
  Json fields = Json::object();
  for (int i = 0; i < 80; ++i) fields = {{"f:a", fields}};
  Json pod = PodOf(SpecOf(Json::object()));
  pod["metadata"]["managedFields"] = {{{"manager", "x"}, {"fieldsV1", fields}}};
  const Json changed = Answered("/mutate/enforce", CreationOf(pod));
  EXPECT_EQ(changed["allowed"], true);
  EXPECT_TRUE(Patched(pod, changed)["spec"]["containers"][0]["resources"].contains("limits"));
  EXPECT_EQ(Patched(pod, changed)["metadata"]["managedFields"], pod["metadata"]["managedFields"]);
  EXPECT_EQ(Answered("/validate/enforce", CreationOf(pod))["allowed"], false);
  EXPECT_THAT(Answered("/validate/warn", CreationOf(pod))["warnings"].dump(),
              Not(HasSubstr("not reviewed")));
}

TEST_F(AdmissionTest, RefusesWhatIsTooLarge) {
  for (const std::string& path : Paths()) {
    const ServerReply reply = Post(path, std::string(kMaxBody + 1, ' '));
    EXPECT_EQ(reply.status, 413) << path;
    EXPECT_THAT(reply.body, HasSubstr(std::to_string(kMaxBody)));
  }
}

TEST_F(AdmissionTest, AnswersTheLargestObjectsThatTheApiServerTakes) {
  Json spec = SpecOf({{"limits", {{"cpu", "1"}, {"memory", "1Gi"}}}});
  spec["containers"][0]["env"] = {
      {{"name", "LARGE"}, {"value", std::string(3 * kMiB - 1024, 'x')}}};
  const Json pod = PodOf(spec);
  Json update = CreationOf(pod);
  update["operation"] = "UPDATE";
  update["oldObject"] = pod;
  for (const std::string& path : Paths()) {
    EXPECT_EQ(Answered(path, update)["allowed"], true) << path;
  }
  const Json response = Answered("/mutate/enforce", CreationOf(pod));
  EXPECT_EQ(Patched(pod, response)["spec"]["containers"][0]["env"], spec["containers"][0]["env"]);
}

TEST_F(AdmissionTest, AnswersForAsManyContainersAsItReads) {
  Json spec = {{"containers", Json::array()}};
  for (int i = 0; i < 1'000; ++i) {
    const Json requests = {{"cpu", "10m"}, {"memory", "1Mi"}};
    spec["containers"].push_back(
        {{"name", "c" + std::to_string(i)}, {"resources", {{"requests", requests}}}});
  }
  const Json pod = PodOf(spec);
  for (const std::string& path : Paths()) Answered(path, CreationOf(pod));
  const Json response = Answered("/mutate/enforce", CreationOf(pod));
  const Json again = Patched(pod, response);
  EXPECT_FALSE(Answered("/mutate/enforce", CreationOf(again)).contains("patch"));
}

// What stands where a pod's checkpoints would be.
Json OtherVolume() { return {{"name", "berth-checkpoint"}, {"emptyDir", Json::object()}}; }
Json OtherMount() { return {{"name", "x"}, {"mountPath", "/checkpoints"}}; }

TEST_F(AdmissionTest, MountsNoCheckpointsWhereSomethingElseIs) {
  Json volume = SpecOf({});
  volume["volumes"] = {OtherVolume()};
  Json mount = SpecOf({});
  mount["containers"][0]["volumeMounts"] = {OtherMount()};
  for (const auto& [spec, obstacle] :
       {std::pair(volume, "the pod has another volume berth-checkpoint; rename it"),
        std::pair(mount, "'c' has volume 'x' at /checkpoints; mount it elsewhere")}) {
    const Json pod = PodOf(spec, {{"berth.dev/checkpoint", "true"}});
    const Json response = Answered("/mutate/enforce", CreationOf(pod));
    EXPECT_EQ(response["allowed"], true);
    EXPECT_THAT(response["warnings"].dump(), HasSubstr(std::string("no checkpoints: ") + obstacle));
    const Json stored = Patched(pod, response)["spec"];
    EXPECT_EQ(stored.value("volumes", Json()), spec.value("volumes", Json()));
    EXPECT_EQ(stored["containers"][0].value("volumeMounts", Json()),
              spec["containers"][0].value("volumeMounts", Json()));
  }
}

TEST_F(AdmissionTest, AnswersWhateverAnObjectHolds) {
  const std::string control = "\x01\x1b[31m\r\nSet-Cookie: a=b\x7f";
  const Json empty_terms = {{"nodeAffinity",
                             {{"requiredDuringSchedulingIgnoredDuringExecution",
                               {{"nodeSelectorTerms", {Json::object(), nullptr}}}}}}};
  Json affinity = SpecOf({});
  affinity["affinity"] = empty_terms;
  Json clash = SpecOf({{"limits", {{"nvidia.com/gpu", 1}}}});
  clash["volumes"] = {OtherVolume()};
  clash["containers"][0]["volumeMounts"] = {OtherMount()};
  const Json objects[] = {
      Json::object(),
      PodOf(nullptr),
      PodOf({{"containers", nullptr}, {"initContainers", {nullptr}}}),
      PodOf(SpecOf({{"limits", {{"cpu", "99999999999999999999E"}, {"memory", "1e400"}}}})),
      PodOf(SpecOf({{"limits", {{"cpu", 1e300}, {"memory", 18446744073709551615U}}}})),
      PodOf(SpecOf({{"requests", {{"memory", "-5Gi"}}}})),
      PodOf(SpecOf({{"limits", {{control, "1"}, {"", "1"}}}})),
      PodOf(affinity),
      PodOf(SpecOf({}), {{"berth.dev/created-by", control}, {"berth.dev/applied", control}}),
      PodOf(clash, {{"berth.dev/checkpoint", "true"},
                    {"berth.dev/checkpoint-key", "../../etc"},
                    {"berth.dev/accelerators", control + ",,\"V100\"," + std::string(9999, 'x')},
                    {"berth.dev/accelerator-memory", "much"}}),
      PodOf(clash, {{"berth.dev/checkpoint", "/claim"}, {"berth.dev/checkpoint-key", "a/b"}}),
      PodOf(clash, {{"berth.dev/checkpoint", "claim"}, {"berth.dev/checkpoint-key", "key"}}),
      {{"metadata", {{"annotations", "none"}}}},
      {{"metadata", {{"ownerReferences", {{{"kind", "Job"}, {"controller", true}}}}}}},
      {{"spec", {{"terminationGracePeriodSeconds", 9223372036854775807}}}},
      {{"spec", {{"containers", {{{"resources", {{"limits", Json::array()}}}}}}}}},
  };
  for (const Json& object : objects) {
    for (const std::string& path : Paths()) {
      SCOPED_TRACE(path + " " + object.dump(-1, ' ', true).substr(0, 300));
      const Json response = Answered(path, CreationOf(object));
      if (path != "/mutate/enforce") continue;
      // Never half a change: what comes out is as it should be, or it is denied unchanged.
      if (!response["allowed"]) {
        EXPECT_FALSE(response.contains("patch"));
        EXPECT_THAT(response["status"]["message"].get<std::string>(), HasSubstr("berth"));
        continue;
      }
      const Json again = Patched(object, response);
      EXPECT_FALSE(Answered(path, CreationOf(again)).contains("patch"));
    }
  }
}

}  // namespace
}  // namespace berth::tests
