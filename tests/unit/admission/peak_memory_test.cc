// What a request may take of memory while it is answered, whatever stands in it: elements are
// multiplied here, as whoever wants the memory would do it.

#include "tests/unit/peak_memory.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admission/webhook.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"

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

class PeakMemory : public ::testing::TestWithParam<Multiplied> {
 protected:
  static std::string ReviewOf(const Multiplied& multiplied) {
    const bool is_job = multiplied.kind == "Job";
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-7",)"
           R"("kind":{"group":")" +
           std::string(is_job ? "batch" : "") + R"(","version":"v1","kind":")" + multiplied.kind +
           R"("},"namespace":"team","operation":"CREATE","userInfo":{"username":"eve"},"object":)" +
           multiplied.object() + "}}";
  }

  static server::HttpResponse Post(const std::string& path, const std::string& body) {
    auto catalog = std::make_shared<const model::AcceleratorCatalog>(
        model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
    const auto reviewer = std::make_shared<const Reviewer>(
        std::make_shared<const policies::admission::AdmissionEngine>(
            std::move(catalog), "berth.dev", "1.2.3", policies::admission::AdmissionConfig()),
        std::vector<policies::admission::TemplateSpec>());
    server::Metrics metrics;
    Webhook webhook(reviewer, metrics, 20 * kMega);
    for (const server::Route& route : webhook.Routes()) {
      if (route.path == path) return route.handle({"POST", path, body});
    }
    return {.status = 404};
  }
};

TEST_P(PeakMemory, IsAFewTimesTheReview) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string body = ReviewOf(GetParam());
  ASSERT_LT(body.size(), 20 * kMega);
  for (const char* path : {"/mutate/enforce", "/validate/enforce", "/mutate/warn"}) {
    const std::size_t peak = PeakOf([&] { Post(path, body); });
    EXPECT_LE(peak, kFactor * body.size() + kConstant)
        << path << ": " << peak / kMega << " MiB for " << body.size() / 1024 << " KiB";
  }
}

TEST_P(PeakMemory, WhatIsTooMuchIsDeniedOrWarnedOfAndNeverJustLetIn) {
  if (!GetParam().too_much) return;
  const std::string body = ReviewOf(GetParam());
  for (const char* path : {"/mutate/enforce", "/validate/enforce"}) {
    const auto response = nlohmann::json::parse(Post(path, body).body)["response"];
    EXPECT_EQ(response["uid"], "u-7");
    EXPECT_EQ(response["allowed"], false) << path;
    EXPECT_THAT(response["status"]["message"].get<std::string>(), ::testing::StartsWith("berth: "));
  }
  for (const char* path : {"/mutate/warn", "/validate/warn"}) {
    const auto response = nlohmann::json::parse(Post(path, body).body)["response"];
    EXPECT_EQ(response["allowed"], true) << path;
    ASSERT_EQ(response["warnings"].size(), 1U);
    EXPECT_THAT(response["warnings"][0].get<std::string>(),
                ::testing::StartsWith("berth: not reviewed: "));
  }
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

}  // namespace
}  // namespace berth::admission
