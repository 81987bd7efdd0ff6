// What a request may take of memory while it is answered, whatever stands in it: elements are
// multiplied here, as whoever wants the memory would do it.

#include "tests/unit/peak_memory.h"

#include <absl/strings/str_replace.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admission/webhook.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"
#include "policies/admission/framework_profiles.h"

namespace berth::admission {
namespace {

using berth::tests::kConstant;
using berth::tests::kFactor;
using berth::tests::kMega;
using berth::tests::Numbered;
using berth::tests::PeakOf;
using berth::tests::Repeated;

struct Multiplied {
  std::string name;
  std::string kind;
  std::string (*object)();
  /// Whether there is so much of something that it is denied for that.
  bool too_much = false;
};

std::string Pod(const std::string& spec) { return R"({"metadata":{},"spec":{)" + spec + "}}"; }

std::string Containers(const std::string& list) { return R"("containers":[)" + list + "]"; }

// As a Job has its pods, too.
std::string Job(const std::string& job, const std::string& pod) {
  return R"({"metadata":{},"spec":{)" + job + R"("template":)" + Pod(pod) + "}}";
}

std::string ContainerOf(const std::string& fields) { return R"({"name":"c#",)" + fields + "}"; }

// The pod's claim "a", whose template has so long a name.
std::string Claim(std::size_t bytes) {
  return R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":")" +
         std::string(bytes, 'x') + R"("}],)";
}

// A container that uses it so often.
std::string UsingClaims(int times) {
  return R"({"resources":{"claims":[)" + Repeated(R"({"name":"a"})", times) + "]}}";
}

std::string Affinity(const std::string& terms) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[)" +
         terms + "]}}}," + Containers("{}");
}

const std::string kGpus = R"("resources":{"limits":{"nvidia.com/gpu":"1"}})";

std::string Deep() { return Repeated(std::string(40, '[') + std::string(40, ']'), 20'000); }

std::string Escapes() {
  std::string text;
  for (int i = 0; i < 3'000'000; ++i) text += "\\u003c";
  return text;
}

// Made when they are asked for: every test of this binary is a process of its own.
std::vector<Multiplied> AllMultiplied() {
  return {
      {"EmptyContainers", "Pod", [] { return Pod(Containers(Repeated("{}", 400'000))); }, true},
      {"ContainersThatParse", "Pod", [] { return Pod(Containers(Repeated("{}", 80'000))); }, true},
      {"JustSoManyContainers", "Pod",
       [] { return Pod(Containers(Numbered(ContainerOf(kGpus), 1'000))); }},
      {"ContainersOfAJob", "Job",
       [] { return Job("", Containers(Numbered(ContainerOf(kGpus), 1'000))); }},
      {"Env", "Pod",
       [] { return Pod(Containers(Repeated(R"({"env":[)" + Repeated("{}", 9'900) + "]}", 5))); }},
      {"Mounts", "Pod",
       [] {
         return Pod(Containers(Repeated(R"({"volumeMounts":[)" + Repeated("{}", 9'900) + "]}", 5)));
       }},
      {"LongNameOfAClaim", "Pod",
       [] { return Pod(Claim(300'000) + Containers(Repeated(UsingClaims(9), 1'000))); }},
      {"NameOfAClaim", "Pod",
       [] { return Pod(Claim(253) + Containers(Repeated(UsingClaims(20), 1'000))); }},
      {"Resources", "Pod",
       [] {
         return Pod(Containers(
             Repeated(R"({"resources":{"limits":{)" + Numbered(R"("r#":"1")", 45) + "}}}", 1'000)));
       }},
      {"Terms", "Pod", [] { return Pod(Affinity(Repeated("{}", 10'000))); }},
      {"TermsWithExpressions", "Pod",
       [] {
         return Pod(Affinity(
             Repeated(R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", 9'000)));
       }},
      {"Expressions", "Pod",
       [] {
         return Pod(
             Affinity(Repeated(R"({"matchExpressions":[)" + Repeated("{}", 9'900) + "]}", 5)));
       }},
      {"Values", "Pod",
       [] {
         return Pod(Affinity(Repeated(
             R"({"matchExpressions":[{"values":[)" + Repeated("\"\"", 9'900) + "]}]}", 5)));
       }},
      {"NodeSelector", "Pod",
       [] {
         return Pod(R"("nodeSelector":{)" + Numbered(R"("k#":"")", 10'000) + "}," +
                    Containers("{}"));
       }},
      {"Volumes", "Pod",
       [] { return Pod(R"("volumes":[)" + Repeated("{}", 10'000) + "]," + Containers("{}")); }},
      {"Annotations", "Pod",
       [] {
         return R"({"metadata":{"annotations":{)" + Numbered(R"("k#":"")", 10'000) +
                "}},\"spec\":{}}";
       }},
      {"Owners", "Job",
       [] {
         return R"({"metadata":{"ownerReferences":[)" + Repeated("{}", 10'000) + "]},\"spec\":{}}";
       }},
      {"FailureRules", "Job",
       [] {
         return Job(R"("podFailurePolicy":{"rules":[)" +
                        Repeated(R"({"action":"Ignore","onPodConditions":[{"type":"x"}]})", 9'000) +
                        "]},",
                    Containers("{}"));
       }},
      {"ExitCodes", "Job",
       [] {
         return Job(R"("podFailurePolicy":{"rules":[)" +
                        Repeated(R"({"action":"Count","onExitCodes":{"operator":"In","values":[)" +
                                     Repeated("7", 9'900) + "]}}",
                                 5) +
                        "]},",
                    Containers("{}"));
       }},
      {"Brackets", "Pod", [] { return Pod(R"("x":[)" + Deep() + "]"); }, true},
      {"Numbers", "Pod", [] { return Pod(R"("x":[)" + Repeated("1", 4'000'000) + "]"); }, true},
      {"Colons", "Pod", [] { return Pod(R"("x":)" + std::string(8 * kMega, ':')); }, true},
      {"Quotes", "Pod", [] { return Pod(R"("x":)" + std::string(8 * kMega, '"')); }, true},
      {"Blanks", "Pod", [] { return Pod(R"("x":)" + std::string(8 * kMega, ' ') + "1"); }},
      {"Escapes", "Pod",
       [] {
         return Pod(
             Containers(R"({"env":[{"name":"a","value":")" + Escapes() + R"("}],)" + kGpus + "}"));
       }},
      {"LongModels", "Pod",
       [] {
         return R"({"metadata":{"annotations":{"berth.dev/accelerators":")" +
                Repeated("A", 5'000'000) + "\"}},\"spec\":{" + Containers("{" + kGpus + "}") + "}}";
       }},
      {"ManagedFields", "Pod",
       [] {
         return R"({"metadata":{"managedFields":[)" + Deep() + R"(]},"spec":{)" +
                Containers("{" + kGpus + "}") + "}}";
       }},
      {"LongName", "Pod",
       [] {
         return R"({"metadata":{"name":")" + std::string(10 * kMega, 'n') +
                R"(","annotations":{"berth.dev/checkpoint":"true"}},"spec":{)" +
                Containers("{" + kGpus + "}") + "}}";
       }},
      {"LongQuantity", "Pod",
       [] {
         return Pod(Containers(R"({"resources":{"limits":{"cpu":")" + std::string(10 * kMega, '9') +
                               "\"}}}"));
       }},
  };
}

// An object of a configured kind. `roles` are members with a template each.
std::string PyTorchJob(const std::string& metadata, const std::string& roles) {
  return R"({"metadata":{)" + metadata + R"(},"spec":{"pytorchReplicaSpecs":{)" + roles + "}}}";
}

std::string Roles(const std::string& containers, std::size_t count) {
  return Numbered(R"("r#":{"template":)" + Pod(Containers(containers)) + "}", count);
}

// With as many templates as are read.
std::string PyTorchJob(const std::string& metadata) {
  return PyTorchJob(metadata, Roles("{}", kMaxTemplates));
}

std::string JobSet(const std::string& job, std::size_t count) {
  return R"({"metadata":{},"spec":{"replicatedJobs":[)" +
         Repeated(R"({"template":)" + Job(job, Containers("{}")) + "}", count) + "]}}";
}

std::string Long() { return std::string(2'900'000, 'a'); }

// Of each of these, all templates of an object have something, or one of them has much.
std::vector<Multiplied> AllMultipliedInTemplates() {
  return {
      {"LongAnnotation", "PyTorchJob",
       [] { return PyTorchJob(R"("annotations":{"a":")" + Long() + "\"}"); }},
      {"ManyOfEverythingInLessThanOneMegabyte", "PyTorchJob",
       [] {
         return PyTorchJob(R"("annotations":{)" +
                           Numbered("\"k#\":\"" + std::string(35, 'v') + "\"", 10'000) +
                           R"(},"labels":{)" + Numbered(R"("k#":"")", 10'000) +
                           R"(},"ownerReferences":[)" + Repeated("{}", 5'000) + "]");
       }},
      {"ManyControllingOwners", "PyTorchJob",
       [] {
         return PyTorchJob(R"("ownerReferences":[)" + Repeated(R"({"controller":true})", 10'000) +
                           "]");
       }},
      {"JustSoManyOwnAnnotations", "PyTorchJob",
       [] {
         return PyTorchJob(R"("annotations":{)" + Numbered(R"("berth.dev/#":"")", 1'100) + "}");
       }},
      {"LongOwnAnnotation", "PyTorchJob",
       [] {
         return PyTorchJob(R"("annotations":{"berth.dev/gang":"true","berth.dev/gang-name":")" +
                           Long() + "\"}");
       },
       true},
      {"LongNameOfTheObject", "PyTorchJob", [] { return PyTorchJob(R"("name":")" + Long() + '"'); },
       true},
      {"LongNameOfItsOwner", "PyTorchJob",
       [] {
         return PyTorchJob(R"("ownerReferences":[{"controller":true,"name":")" + Long() + "\"}]");
       },
       true},
      {"LongNameOfATemplate", "PyTorchJob",
       [] {
         return PyTorchJob(
             "", '"' + Long() + R"(":{"template":)" + Pod(Containers(Repeated("{}", 1'000))) + "}");
       },
       true},
      {"ResourcesOfTemplates", "PyTorchJob",
       [] {
         return PyTorchJob(
             "", Roles(Repeated(R"({"resources":{"limits":{)" + Numbered(R"("r#":"1")", 45) + "}}}",
                                1'000),
                       2));
       }},
      {"FailureRulesOfTemplates", "JobSet",
       [] {
         return JobSet(R"("podFailurePolicy":{"rules":[)" + Repeated("{}", 9'900) + "]},", 11);
       }},
  };
}

class PeakMemory : public ::testing::TestWithParam<Multiplied> {
 protected:
  static std::string GroupOf(const std::string& kind) {
    if (kind == "Job") return "batch";
    if (kind == "JobSet") return "jobset.x-k8s.io";
    return kind == "PyTorchJob" ? "kubeflow.org" : "";
  }

  /// The review of the object's creation, or of an update if there is a stored one.
  static std::string ReviewOf(const std::string& kind, const std::string& object,
                              const std::string& stored = "") {
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-7",)"
           R"("kind":{"group":")" +
           GroupOf(kind) + R"(","version":"v1","kind":")" + kind +
           R"("},"namespace":"team","operation":")" + (stored.empty() ? "CREATE" : "UPDATE") +
           R"(","userInfo":{"username":"eve"},"object":)" + object +
           (stored.empty() ? "" : R"(,"oldObject":)" + stored) + "}}";
  }

  static std::string ReviewOf(const Multiplied& multiplied) {
    return ReviewOf(multiplied.kind, multiplied.object());
  }

  static server::HttpResponse Post(const std::string& path, const std::string& body) {
    auto catalog = std::make_shared<const model::AcceleratorCatalog>(
        model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
    policies::admission::AdmissionConfig config;
    config.frameworks = {policies::admission::Framework::kJobSet,
                         policies::admission::Framework::kTrainingOperator};
    const auto reviewer = std::make_shared<const Reviewer>(
        std::make_shared<const policies::admission::AdmissionEngine>(std::move(catalog),
                                                                     "berth.dev", "1.2.3", config),
        policies::admission::AllTemplates(config));
    server::Metrics metrics;
    Webhook webhook(reviewer, metrics, 20 * kMega);
    for (const server::Route& route : webhook.Routes()) {
      if (route.path == path) return route.handle({"POST", path, body});
    }
    return {.status = 404};
  }

  static nlohmann::json ResponseTo(const std::string& path, const std::string& body) {
    return nlohmann::json::parse(Post(path, body).body)["response"];
  }

  static void ExpectAFewTimes(const std::string& path, const std::string& body) {
    ASSERT_LT(body.size(), 20 * kMega);
    const std::size_t peak = PeakOf([&] { Post(path, body); });
    EXPECT_LE(peak, kFactor * body.size() + kConstant)
        << path << ": " << peak / kMega << " MiB for " << body.size() / 1024 << " KiB";
  }
};

TEST_P(PeakMemory, IsAFewTimesTheReview) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string body = ReviewOf(GetParam());
  for (const char* path : {"/mutate/enforce", "/validate/enforce", "/mutate/warn"}) {
    ExpectAFewTimes(path, body);
  }
}

TEST_P(PeakMemory, WhatIsTooMuchIsDeniedOrWarnedOfAndNeverJustLetIn) {
  if (!GetParam().too_much) return;
  const std::string body = ReviewOf(GetParam());
  for (const char* path : {"/mutate/enforce", "/validate/enforce"}) {
    const auto response = ResponseTo(path, body);
    EXPECT_EQ(response["uid"], "u-7");
    EXPECT_EQ(response["allowed"], false) << path;
    EXPECT_THAT(response["status"]["message"].get<std::string>(), ::testing::StartsWith("berth: "));
  }
  for (const char* path : {"/mutate/warn", "/validate/warn"}) {
    const auto response = ResponseTo(path, body);
    EXPECT_EQ(response["allowed"], true) << path;
    ASSERT_EQ(response["warnings"].size(), 1U);
    EXPECT_THAT(response["warnings"][0].get<std::string>(),
                ::testing::StartsWith("berth: not reviewed: "));
  }
}

// For objects of configured kinds.
class PeakMemoryOfTemplates : public PeakMemory {};

TEST_P(PeakMemoryOfTemplates, IsAFewTimesTheReview) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string object = GetParam().object();
  // An update is judged by the templates that it changes.
  const std::string stored =
      absl::StrReplaceAll(object, {{R"("containers":)", R"("nodeName":"n","containers":)"}});
  for (const std::string& body :
       {ReviewOf(GetParam().kind, object), ReviewOf(GetParam().kind, object, stored)}) {
    for (const char* path : {"/mutate/enforce", "/validate/enforce", "/validate/warn"}) {
      ExpectAFewTimes(path, body);
    }
  }
}

// What templates claim of their pods is believed later, so they must not be let in unread.
TEST_P(PeakMemoryOfTemplates, WhatIsTooMuchIsDeniedAndAllElseIsReviewed) {
  const bool too_much = GetParam().too_much;
  const std::string body = ReviewOf(GetParam());
  const auto marked = ResponseTo("/mutate/enforce", body);
  EXPECT_EQ(marked["allowed"], !too_much);
  EXPECT_EQ(marked.contains("patch"), !too_much) << "records the creator";
  if (!too_much) return;
  EXPECT_EQ(ResponseTo("/validate/enforce", body)["allowed"], false);
  const auto warned = ResponseTo("/validate/warn", body);
  EXPECT_EQ(warned["allowed"], true);
  ASSERT_EQ(warned["warnings"].size(), 1U);
  EXPECT_THAT(warned["warnings"][0].get<std::string>(),
              ::testing::StartsWith("berth: not reviewed: "));
}

TEST_F(PeakMemoryOfTemplates, ALongNameOfTheUserIsRecordedAndLoggedInPart) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string user(2 * kMega, 'u');
  const std::string body =
      absl::StrReplaceAll(ReviewOf("PyTorchJob", PyTorchJob("")), {{"eve", user}});
  for (const char* path : {"/mutate/enforce", "/validate/enforce", "/mutate/warn"}) {
    ExpectAFewTimes(path, body);
  }
  EXPECT_LT(Post("/mutate/enforce", body).body.size(), 3 * kMega / 10);
  const std::string bad =
      absl::StrReplaceAll(ReviewOf("Pod", R"({"spec":{"containers":7}})"), {{"eve", user}});
  ::testing::internal::CaptureStderr();
  const auto denied = ResponseTo("/validate/enforce", bad);
  const std::string logged = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(denied["allowed"], false);
  EXPECT_THAT(logged, ::testing::HasSubstr("uuu...\""));
  EXPECT_LT(logged.size(), 4'000U);
}

// What is allocated now.
std::size_t LiveBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

class KeptMemory : public PeakMemory {};

TEST_P(KeptMemory, IsNoneOfALargeReview) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  Post("/mutate/enforce", ReviewOf({"Small", "Pod", [] { return Pod(Containers("{}")); }}));
  const std::string body = ReviewOf(GetParam());
  const std::size_t before = LiveBytes();
  Post("/mutate/enforce", body);
  EXPECT_LT(LiveBytes(), before + kMega);
}

INSTANTIATE_TEST_SUITE_P(Blanks, KeptMemory,
                         ::testing::Values(Multiplied{
                             "Blanks", "Pod",
                             [] { return Pod(R"("x":)" + std::string(8 * kMega, ' ') + "1"); }}));

INSTANTIATE_TEST_SUITE_P(All, PeakMemory, ::testing::ValuesIn(AllMultiplied()),
                         [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(All, PeakMemoryOfTemplates,
                         ::testing::ValuesIn(AllMultipliedInTemplates()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace berth::admission
