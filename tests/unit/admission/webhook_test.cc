#include "admission/webhook.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"

namespace berth::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Reviewer> ReviewerOf(const std::string& prefix) {
  auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  return std::make_shared<const Reviewer>(
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::move(catalog), prefix, "1.2.3", policies::admission::AdmissionConfig()),
      std::vector<policies::admission::TemplateSpec>{
          {.group = "kubeflow.org", .kind = "PyTorchJob", .path = "/spec/replicas/*/template"}});
}

/// A pod for a GPU; `annotation` names the user who is to be shown as its creator.
constexpr char kReview[] = R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
  "request": {"uid": "u-7", "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "operation": "CREATE", "userInfo": {"username": "alice"}, "object": {"metadata": {},
    "spec": {"containers": [{"name": "c", "resources": {
      "limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"},
      "requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}}}]}}}})";

constexpr char kPodKindJson[] = R"({"group":"","version":"v1","kind":"Pod"})";
constexpr char kSetKind[] = R"({"group":"apps","version":"v1","kind":"Deployment"})";
constexpr char kTrainerKind[] = R"({"group":"kubeflow.org","version":"v1","kind":"PyTorchJob"})";

class WebhookTest : public testing::Test {
 protected:
  WebhookTest() {
    for (server::Route& route : webhook_.Routes()) routes_[route.path] = std::move(route);
  }

  server::HttpResponse Post(const std::string& path, const std::string& body) {
    return routes_.at(path).handle({.method = "POST", .target = path, .body = body});
  }

  /// What a namespace that enforces hears, when alice does that with these objects.
  nlohmann::json Validated(const std::string& kind, const std::string& operation,
                           const std::string& objects) {
    const std::string body =
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-8",)"
        R"("kind":)" +
        kind + R"(,"operation":")" + operation + R"(","userInfo":{"username":"alice"},)" + objects +
        "}}";
    return nlohmann::json::parse(Post("/validate/enforce", body).body)["response"];
  }

  nlohmann::json Updated(const std::string& kind, const std::string& from, const std::string& to) {
    return Validated(kind, "UPDATE", R"("object":)" + to + R"(,"oldObject":)" + from);
  }

  server::Metrics metrics_;
  Webhook webhook_{ReviewerOf("berth.dev"), metrics_, 1234};
  std::map<std::string, server::Route> routes_;
};

TEST_F(WebhookTest, HasAPathForEachModeAndExemption) {
  std::vector<std::string> paths;
  for (const auto& [path, route] : routes_) {
    paths.push_back(path);
    EXPECT_EQ(route.method, "POST");
    EXPECT_EQ(route.max_body, 1234u);
  }
  EXPECT_THAT(paths, ElementsAre("/mutate/enforce", "/mutate/enforce/allow-accelerator-nodes",
                                 "/mutate/warn", "/mutate/warn/allow-accelerator-nodes",
                                 "/validate/enforce", "/validate/enforce/allow-accelerator-nodes",
                                 "/validate/warn", "/validate/warn/allow-accelerator-nodes"));
}

TEST_F(WebhookTest, AnswersByTheModeOfThePath) {
  const auto enforced = nlohmann::json::parse(Post("/mutate/enforce", kReview).body)["response"];
  EXPECT_EQ(enforced["uid"], "u-7");
  EXPECT_TRUE(enforced.contains("patch"));
  for (const char* path : {"/mutate/warn", "/validate/enforce", "/validate/warn"}) {
    const auto response = nlohmann::json::parse(Post(path, kReview).body)["response"];
    EXPECT_EQ(response["uid"], "u-7") << path;
    EXPECT_EQ(response["allowed"], true) << path;
    EXPECT_FALSE(response.contains("patch")) << path;
  }
}

TEST_F(WebhookTest, RefusesWhatIsNoReview) {
  const server::HttpResponse response = Post("/validate/warn", "{}");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.content_type, "text/plain");
  EXPECT_THAT(response.body, HasSubstr("berth: AdmissionReview.apiVersion: is \"\""));
}

/// As kube-apiserver writes it: uid and kind first, the object last.
std::string CutOff(const std::string& kind, const std::string& operation) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-8",)"
         R"("kind":)" +
         kind + R"(,"name":"a","namespace":"team","operation":")" + operation +
         R"(","userInfo":{"username":"alice"},"object":{"metadata":{"name":"<<<<)";
}

TEST_F(WebhookTest, AnswersByTheFrontOfWhatTheListenerRefuses) {
  const struct {
    server::RejectionCause cause;
    int code;
    std::string reason;
  } cases[] = {{server::RejectionCause::kBodyTooLarge, 413, "RequestEntityTooLarge"},
               {server::RejectionCause::kBodyTimeout, 503, "ServiceUnavailable"},
               {server::RejectionCause::kBodiesTooMany, 503, "ServiceUnavailable"},
               {server::RejectionCause::kReplyTooLarge, 503, "ServiceUnavailable"}};
  const std::string body = CutOff(kPodKindJson, "CREATE");
  for (const auto& each : cases) {
    const server::Rejection rejection{each.cause, "it is so", body};
    const auto denied = nlohmann::json::parse(routes_.at("/mutate/enforce").reject(rejection).body);
    EXPECT_EQ(denied["response"]["uid"], "u-8");
    EXPECT_EQ(denied["response"]["allowed"], false);
    EXPECT_EQ(denied["response"]["status"]["message"], "berth: it is so");
    EXPECT_EQ(denied["response"]["status"]["code"], each.code);
    EXPECT_EQ(denied["response"]["status"]["reason"], each.reason);
    const auto warned = nlohmann::json::parse(routes_.at("/validate/warn").reject(rejection).body);
    EXPECT_EQ(warned["response"]["allowed"], true);
    EXPECT_EQ(warned["response"]["warnings"],
              nlohmann::json::array({"berth: not reviewed: it is so"}));
  }
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_admission_reviews_total{operation=\"create\",result=\"unreadable\","
                        "webhook=\"mutate\"} 4"));
}

TEST_F(WebhookTest, DeniesNothingUnreadThatItWouldNotHaveJudged) {
  const auto allowed = [this](const std::string& body) {
    const server::Rejection rejection{server::RejectionCause::kBodyTooLarge, "large", body};
    const auto reply =
        nlohmann::json::parse(routes_.at("/validate/enforce").reject(rejection).body)["response"];
    return reply["allowed"].get<bool>() && reply["warnings"].size() == 1;
  };
  EXPECT_FALSE(allowed(CutOff(kPodKindJson, "CREATE")));
  EXPECT_TRUE(allowed(CutOff(kPodKindJson, "UPDATE"))) << "it is stored, and has to be writable";
  EXPECT_TRUE(allowed(CutOff(kPodKindJson, "DELETE")));
  EXPECT_TRUE(allowed(CutOff(kSetKind, "CREATE")));
  EXPECT_FALSE(allowed(CutOff(kTrainerKind, "CREATE"))) << "what its templates claim is believed";
  EXPECT_TRUE(allowed(CutOff(kTrainerKind, "UPDATE")));
}

// A later request succeeds.
TEST_F(WebhookTest, DeniesUpdatesWhileItIsBusy) {
  const std::string body = CutOff(kPodKindJson, "UPDATE");
  for (const auto cause :
       {server::RejectionCause::kBodyTimeout, server::RejectionCause::kBodiesTooMany}) {
    const server::Rejection rejection{cause, "it is so", body};
    const auto response =
        nlohmann::json::parse(routes_.at("/validate/enforce").reject(rejection).body)["response"];
    EXPECT_EQ(response["allowed"], false);
    EXPECT_EQ(response["status"]["code"], 503);
  }
}

/// A pod with so many arguments, of which somebody says who created it.
std::string PodWithArguments(std::size_t count, const std::string& creator = "alice") {
  std::string arguments = "\"a\"";
  for (std::size_t i = 1; i < count; ++i) arguments += ",\"a\"";
  return R"({"metadata":{"annotations":{"berth.dev/created-by":")" + creator +
         R"("}},"spec":{"containers":[{"name":"c","args":[)" + arguments + "]}]}}";
}

TEST_F(WebhookTest, LetsWhatIsStoredBeWrittenThoughItIsTooLargeToRead) {
  constexpr std::size_t kTooMany = 260'000;
  const std::string large = PodWithArguments(kTooMany);
  const auto stored = Updated(kPodKindJson, large, large);
  EXPECT_EQ(stored["allowed"], true);
  EXPECT_THAT(stored["warnings"].dump(), HasSubstr("not reviewed: the JSON has more than"));
  const auto grown = Updated(kPodKindJson, PodWithArguments(1), large);
  EXPECT_EQ(grown["allowed"], false) << "the update is to blame";
  EXPECT_EQ(Validated(kPodKindJson, "CREATE", R"("object":)" + large)["allowed"], false);
}

// The two states together, or each by itself.
TEST_F(WebhookTest, DeniesToChangeTheCreatorOfAPodThatIsTooLargeToRead) {
  for (const std::size_t count : {std::size_t{130'000}, std::size_t{260'000}}) {
    const auto changed =
        Updated(kPodKindJson, PodWithArguments(count), PodWithArguments(count, "bob"));
    EXPECT_EQ(changed["status"]["message"],
              "berth creator: metadata.annotations[berth.dev/created-by] names 'bob', but the "
              "stored pod names 'alice'; write 'alice'");
    EXPECT_EQ(changed["status"]["code"], 422);
    const auto same = Updated(kPodKindJson, PodWithArguments(count), PodWithArguments(count + 1));
    EXPECT_EQ(same["allowed"], true) << same;
  }
}

/// An object with templates, and beside them something that nobody judges.
std::string TrainerWith(const std::string& other) {
  return R"({"spec":{"other":)" + other +
         R"(,"replicas":{"Worker":{"template":{"spec":{"containers":[{"name":"c"}]}}}}}})";
}

/// A list of so many of them.
std::string Numbers(std::size_t count) {
  std::string list = "[0";
  for (std::size_t i = 1; i < count; ++i) list += ",0";
  return list + "]";
}

TEST_F(WebhookTest, DeniesObjectsOfConfiguredKindsThatItCannotReadAsAWhole) {
  const std::string small = TrainerWith("0");
  for (const std::string& other : {Numbers(260'000), std::string(100, '[') + std::string(100, ']'),
                                   std::string("123456789012345678901234567890")}) {
    const std::string unread = TrainerWith(other);
    const std::string created = R"("object":)" + unread;
    EXPECT_EQ(Validated(kTrainerKind, "CREATE", created)["allowed"], false);
    EXPECT_EQ(Updated(kTrainerKind, small, unread)["allowed"], false);
    EXPECT_EQ(Updated(kTrainerKind, unread, unread)["allowed"], true) << "it is stored";
    EXPECT_EQ(Validated(kSetKind, "CREATE", created)["allowed"], true);
    EXPECT_EQ(Updated(kSetKind, small, unread)["allowed"], true);
  }
  const std::string large = TrainerWith(Numbers(60'000));
  EXPECT_EQ(Updated(kTrainerKind, large, TrainerWith(Numbers(240'000)))["allowed"], false)
      << "only its templates are limited to less than an object";
  EXPECT_EQ(Updated(kTrainerKind, large, large)["allowed"], true);
}

// An update has the object twice, and within the review, so less of it could be read.
TEST_F(WebhookTest, LetsBeChangedWhatItLetBeCreated) {
  const auto deep = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  for (const std::string& other : {Numbers(119'000), deep(60)}) {
    const std::string object = TrainerWith(other);
    ASSERT_EQ(Validated(kTrainerKind, "CREATE", R"("object":)" + object)["allowed"], true);
    const nlohmann::json updated = Updated(kTrainerKind, object, object);
    EXPECT_EQ(updated["allowed"], true) << updated;
    EXPECT_FALSE(updated.contains("warnings")) << updated;
  }
  for (const std::string& other : {Numbers(121'000), deep(61), deep(62)}) {
    const std::string object = TrainerWith(other);
    ASSERT_EQ(Validated(kTrainerKind, "CREATE", R"("object":)" + object)["allowed"], false);
    const nlohmann::json updated = Updated(kTrainerKind, object, object);
    EXPECT_EQ(updated["allowed"], true) << "it was stored before: " << updated;
    EXPECT_TRUE(updated.contains("warnings")) << updated;
  }
}

TEST_F(WebhookTest, RefusesWhatHasNotEvenAFront) {
  for (const char* front : {"", "{", R"({"kind":"AdmissionReview","request":{"uid":"u)",
                            R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview",)"
                            R"("request":{"uid":"u","kind":{"kind":"Pod"},)"}) {
    const server::Rejection rejection{server::RejectionCause::kBodyTooLarge, "large", front};
    const server::HttpResponse response = routes_.at("/mutate/enforce").reject(rejection);
    EXPECT_EQ(response.status, 413) << front;
    EXPECT_EQ(response.body, "berth: large\n");
  }
}

TEST_F(WebhookTest, SaysByTheStatusWhyItReadNothingAtAll) {
  const std::pair<server::RejectionCause, int> cases[] = {
      {server::RejectionCause::kBodyTooLarge, 413},
      {server::RejectionCause::kBodyTimeout, 408},
      {server::RejectionCause::kBodiesTooMany, 503}};
  for (const auto& [cause, status] : cases) {
    EXPECT_EQ(routes_.at("/mutate/enforce").reject({cause, "it is so", "{"}).status, status);
  }
}

TEST_F(WebhookTest, JudgesByTheReviewerThatItWasGivenLast) {
  EXPECT_THAT(Post("/mutate/enforce", kReview).body, HasSubstr("YmVydGguZGV2"));  // berth.dev
  webhook_.Use(ReviewerOf("other.dev"));
  const auto response = nlohmann::json::parse(Post("/mutate/enforce", kReview).body)["response"];
  EXPECT_THAT(response["auditAnnotations"].dump(), HasSubstr("creator"));
  EXPECT_THAT(response["patch"].get<std::string>(), testing::Not(HasSubstr("YmVydGguZGV2")));
}

TEST_F(WebhookTest, CountsWhatBecameOfReviews) {
  EXPECT_THAT(metrics_.Exposition(),
              HasSubstr("berth_admission_denials_total{policy=\"isolation\"} 0"));
  Post("/mutate/enforce", kReview);
  Post("/validate/enforce", kReview);
  Post("/validate/enforce", "{}");
  std::string bare = kReview;  // without an accelerator, and not kept off their nodes
  for (const std::string limit : {R"(, "nvidia.com/gpu": "1")", R"(, "nvidia.com/gpu": "1")"}) {
    bare.erase(bare.find(limit), limit.size());
  }
  Post("/validate/enforce", bare);
  const std::string text = metrics_.Exposition();
  const std::string reviews = "berth_admission_reviews_total{operation=\"create\",result=";
  for (const std::string& line :
       {reviews + "\"changed\",webhook=\"mutate\"} 1",
        reviews + "\"allowed\",webhook=\"validate\"} 1",
        reviews + "\"denied\",webhook=\"validate\"} 1",
        std::string("berth_admission_refused_total{webhook=\"validate\"} 1"),
        std::string("berth_admission_changes_total{policy=\"creator\"} 1"),
        std::string("berth_admission_denials_total{policy=\"isolation\"} 1"),
        std::string("berth_admission_duration_seconds_count{webhook=\"validate\"} 3")}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace berth::admission
