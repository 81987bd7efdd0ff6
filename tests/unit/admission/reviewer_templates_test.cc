#include "admission/reviewer.h"

#include <memory>
#include <string>

#include "admission/templates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "model/accelerator.h"
#include "tests/unit/admission/reviewer_fixture.h"

namespace berth::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ReviewerTest, JudgesTheTemplatesOfConfiguredKinds) {
  const std::string two = R"({"spec": {"replicas": {"Worker": {"template": )" +
                          std::string(kCpuPod) + R"(}, "Master": {"template": )" + kCpuPod + "}}}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, two), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("berth, pods: kept off")));
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, "{}"), kReviewedEnforced).answer.warnings,
              IsEmpty());
  EXPECT_THAT(reviewer_.Validate(UpdateOf(kTrainer, two, two), kReviewedEnforced).answer.warnings,
              IsEmpty());
}

TEST_F(ReviewerTest, RecordsTheCreatorInTheTemplatesOfConfiguredKinds) {
  const std::string object =
      R"({"spec": {"replicas": {"a/b": {"template": )" + std::string(kGpuPod) +
      R"(}}, "launcher": {"template": {"metadata": {"annotations": {"x": "y"}}, "spec": {}}}}})";
  const Verdict marked = reviewer_.Mutate(ReviewOf(kTrainer, object), kReviewedEnforced);
  EXPECT_EQ(marked.answer.patch,
            R"([{"op":"add","path":"/spec/replicas/a~1b/template/metadata","value":)"
            R"({"annotations":{"berth.dev/created-by":"alice"}}},{"op":"add","path":)"
            R"("/spec/launcher/template/metadata/annotations/berth.dev~1created-by",)"
            R"("value":"alice"}])");
  EXPECT_THAT(marked.answer.warnings, IsEmpty());
  EXPECT_THAT(marked.effects,
              ElementsAre(Field(&policies::admission::PolicyEffect::changed, true)));
  for (const Verdict& verdict :
       {reviewer_.Mutate(ReviewOf(kTrainer, object), kReviewedWarned),
        reviewer_.Mutate(UpdateOf(kTrainer, object, object), kReviewedEnforced),
        reviewer_.Mutate(ReviewOf({"apps", "v1", "Deployment"}, object), kReviewedEnforced)}) {
    EXPECT_THAT(verdict.answer.patch + verdict.answer.denial, IsEmpty());
  }
}

TEST_F(ReviewerTest, JudgesTheTemplatesOfEveryPathOfAKind) {
  const std::string launcher = R"({"spec": {"replicas": {"Worker": {"template": )" +
                               std::string(kGpuPod) + R"(}}, "launcher": {"template": )" + kCpuPod +
                               "}}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, launcher), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("pods: kept off")));
}

// As if the Job itself were created, because nobody reads what its creator, a controller, hears.
TEST(ReviewerOfJobsTest, ForetellsWhatBecomesOfTheJobsOfAnObject) {
  kube::JsonParser parser;
  const Reviewer reviewer(std::make_shared<const policies::admission::AdmissionEngine>(
                              std::make_shared<const model::AcceleratorCatalog>(
                                  model::AcceleratorCatalog::Make({}).value()),
                              "berth.dev", "1.2.3", policies::admission::AdmissionConfig()),
                          {{"example.com", "Sweep", "/spec/trials/*/template",
                            policies::admission::TemplateOf::kJobs}});
  const std::string object = R"({"metadata": {"name": "s"}, "spec": {"trials": [{"template": {
      "spec": {"backoffLimit": 4, "template": {"spec": {"restartPolicy": "Never",
               "containers": [{"name": "c"}]}}}}}]}})";
  const Review review{.uid = "u",
                      .kind = {"example.com", "v1", "Sweep"},
                      .user = {.name = "alice", .groups = {}},
                      .object = parser.Parse(object).value()};
  const std::vector<std::string> warnings =
      reviewer.Validate(review, kReviewedEnforced).answer.warnings;
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("berth, pods: cpu and memory of 'c' set to")));
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("preempted or evicted, 4 times at most")));
}

// Else it would take another's place among those that are looked at.
TEST_F(ReviewerTest, ATemplateThatTwoPathsLeadToCountsOnce) {
  const auto with = [](const std::string& role, const std::string& pod) {
    return "\"" + role + R"(": {"template": )" + pod + "}";
  };
  std::string roles = with("launcher", kGpuPod);
  for (std::size_t i = 2; i < kMaxTemplates; ++i) {
    roles += ", " + with("role-" + std::to_string(i), kGpuPod);
  }
  const std::string object = R"({"spec": {)" + roles + ", " + with("last", kCpuPod) + "}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, object), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("pods: kept off")));
}

/// A template that claims to be bob's, beside one that is `launcher`.
std::string ClaimingBeside(const std::string& launcher, const std::string& creator = "bob") {
  return R"({"spec": {"launcher": {"template": )" + launcher +
         R"(}, "replicas": {"Worker": {"template": {"metadata": {"annotations": )"
         R"({"berth.dev/created-by": ")" +
         creator + R"("}}, "spec": {"containers": [{"name": "c"}]}}}}}})";
}

constexpr char kBrokenPod[] = R"({"spec": {"containers": 5}})";
constexpr char kWhyBroken[] =
    "spec.launcher.template.spec.containers: expected an array, got number";

// What such a template claims of its pods would be believed later, though nobody has read it.
TEST_F(ReviewerTest, DeniesToCreateWhatHasATemplateThatItCannotRead) {
  const Review created = ReviewOf(kTrainer, ClaimingBeside(kBrokenPod));
  for (const Verdict& verdict : {reviewer_.Mutate(created, kReviewedEnforced),
                                 reviewer_.Validate(created, kReviewedEnforced)}) {
    EXPECT_TRUE(verdict.unreadable);
    EXPECT_THAT(verdict.answer.patch, IsEmpty());
    EXPECT_EQ(verdict.answer.denial, "berth: " + std::string(kWhyBroken) +
                                         "; correct this template, or take it out of the object");
  }
}

TEST_F(ReviewerTest, SaysOfTheTemplatesThatItCanReadWhatItWouldSayAnyway) {
  const Verdict warned =
      reviewer_.Validate(ReviewOf(kTrainer, ClaimingBeside(kBrokenPod)), kReviewedWarned);
  EXPECT_TRUE(warned.unreadable);
  EXPECT_FALSE(warned.pods_denied);
  EXPECT_THAT(warned.answer.denial, IsEmpty());
  EXPECT_THAT(warned.answer.warnings,
              testing::UnorderedElementsAre(HasSubstr("pods: kept off nodes"),
                                            HasSubstr("names 'bob', who does not write"),
                                            "berth: not reviewed: " + std::string(kWhyBroken)));
  EXPECT_THAT(reviewer_.Mutate(ReviewOf(kTrainer, ClaimingBeside(kBrokenPod)), kReviewedWarned)
                  .answer.warnings,
              IsEmpty());
}

TEST_F(ReviewerTest, DeniesAnUpdateOnlyIfItMakesATemplateUnreadable) {
  const auto verdict_on = [this](const std::string& from, const std::string& to) {
    return reviewer_.Validate(UpdateOf(kTrainer, from, to), kReviewedEnforced);
  };
  EXPECT_THAT(verdict_on(ClaimingBeside(kGpuPod), ClaimingBeside(kBrokenPod)).answer.denial,
              HasSubstr(kWhyBroken));
  const Verdict same = verdict_on(ClaimingBeside(kBrokenPod), ClaimingBeside(kBrokenPod));
  EXPECT_THAT(same.answer.denial, IsEmpty());
  EXPECT_THAT(same.answer.warnings, ElementsAre("berth: not reviewed: " + std::string(kWhyBroken)));
  EXPECT_TRUE(same.pods_denied);
  EXPECT_THAT(verdict_on(ClaimingBeside(kBrokenPod), ClaimingBeside(kGpuPod)).answer.denial,
              IsEmpty());
  EXPECT_THAT(
      verdict_on(ClaimingBeside(kBrokenPod, "alice"), ClaimingBeside(kBrokenPod)).answer.denial,
      HasSubstr("spec.replicas.Worker.template.metadata.annotations[berth.dev/created-by] names"))
      << "of the other template";
}

// Nobody has judged what it claimed before.
TEST_F(ReviewerTest, JudgesATemplateThatAnUpdateRepairsAsANewOne) {
  const std::string worker = R"({"spec": {"replicas": {"Worker": {"template": )";
  const auto denial = [&](const std::string& user, const std::string& creator) {
    const std::string claiming = R"({"metadata": {"annotations": {"berth.dev/created-by": ")" +
                                 creator + R"("}}, "spec": {"containers": []}})";
    Review repaired = UpdateOf(kTrainer, worker + kBrokenPod + "}}}}", worker + claiming + "}}}}");
    repaired.user.name = user;
    return reviewer_.Validate(repaired, kReviewedEnforced).answer.denial;
  };
  EXPECT_THAT(denial("bob", "alice"), HasSubstr("names 'alice', who does not write the template"));
  EXPECT_THAT(denial("alice", "alice"), IsEmpty());
  EXPECT_THAT(denial("system:serviceaccount:kube-system:cronjob-controller", "alice"), IsEmpty());
}

/// With so many templates, of which the last claims to be bob's.
std::string WithTemplates(std::size_t count) {
  std::string roles;
  for (std::size_t i = 1; i < count; ++i) {
    roles += "\"role-" + std::to_string(i) + R"(": {"template": )" + kGpuPod + "}, ";
  }
  return R"({"spec": {)" + roles +
         R"("last": {"template": {"metadata": {"annotations": {"berth.dev/created-by": "bob"}},)"
         R"( "spec": {"containers": []}}}}})";
}

TEST_F(ReviewerTest, DeniesMoreTemplatesThanItReads) {
  const Review created = ReviewOf(kTrainer, WithTemplates(kMaxTemplates + 1));
  for (const Verdict& verdict : {reviewer_.Mutate(created, kReviewedEnforced),
                                 reviewer_.Validate(created, kReviewedEnforced)}) {
    EXPECT_EQ(verdict.answer.denial,
              "berth: spec.last.template: is beyond the 64 templates that Berth reads of an "
              "object; correct this template, or take it out of the object");
  }
  EXPECT_THAT(reviewer_.Validate(created, kReviewedWarned).answer.warnings,
              testing::Contains(HasSubstr("berth: not reviewed: spec.last.template: is beyond")));
  const std::string many = WithTemplates(kMaxTemplates + 1);
  EXPECT_THAT(reviewer_.Validate(UpdateOf(kTrainer, many, many), kReviewedEnforced).answer.denial,
              IsEmpty());
  const Review most = ReviewOf(kTrainer, WithTemplates(kMaxTemplates));
  EXPECT_THAT(reviewer_.Mutate(most, kReviewedEnforced).answer.denial, IsEmpty());
}

/// With one template, and that metadata.
std::string WithMetadata(const std::string& metadata) {
  return R"({"metadata": {)" + metadata + R"(}, "spec": {"launcher": {"template": )" + kGpuPod +
         "}}}";
}

// Policies read names, the owner and Berth's own labels and annotations, and every template has a
// copy of those.
TEST_F(ReviewerTest, DeniesMoreOfTheMetadataThanItKeepsForEveryTemplate) {
  const std::string much(16 << 10, 'x');
  const std::string other = WithMetadata(R"("annotations": {"example.com/x": ")" + much +
                                         R"("}, "labels": {"x": ")" + much + "\"}");
  const Verdict marked = reviewer_.Mutate(ReviewOf(kTrainer, other), kReviewedEnforced);
  EXPECT_THAT(marked.answer.denial, IsEmpty());
  EXPECT_THAT(marked.answer.patch, HasSubstr("created-by"));
  const std::string own = WithMetadata(R"("annotations": {"berth.dev/x": ")" + much + "\"}");
  for (const Verdict& verdict :
       {reviewer_.Mutate(ReviewOf(kTrainer, own), kReviewedEnforced),
        reviewer_.Validate(ReviewOf(kTrainer, own), kReviewedEnforced),
        reviewer_.Validate(UpdateOf(kTrainer, other, own), kReviewedEnforced)}) {
    EXPECT_EQ(verdict.answer.denial,
              "berth: metadata: has 16395 bytes of names, of its owner and of berth.dev/ labels "
              "and annotations, more than the 16384 that Berth reads; correct the metadata");
  }
  EXPECT_THAT(reviewer_.Validate(UpdateOf(kTrainer, own, own), kReviewedEnforced).answer.denial,
              IsEmpty());
}

TEST_F(ReviewerTest, SaysThatTheMetadataIsWrongAndNoTemplate) {
  const Review created = ReviewOf(kTrainer, WithMetadata(R"("labels": {"x": 5})"));
  EXPECT_EQ(reviewer_.Mutate(created, kReviewedEnforced).answer.denial,
            R"(berth: metadata.labels["x"]: expected a string, got number; correct the metadata)");
  EXPECT_THAT(
      reviewer_.Mutate(ReviewOf(kTrainer, R"({"metadata": {"labels": 5}})"), kReviewedEnforced)
          .answer.denial,
      IsEmpty())
      << "without templates";
}

// What is said of each container names the path.
TEST_F(ReviewerTest, DeniesTemplatesWhosePathHasALongKey) {
  const auto with = [](const std::string& key) {
    return R"({"spec": {"replicas": {")" + key + R"(": {"template": )" + kGpuPod + "}}}}";
  };
  const auto denial = [&](const std::string& object) {
    return reviewer_.Mutate(ReviewOf(kTrainer, object), kReviewedEnforced).answer.denial;
  };
  EXPECT_THAT(denial(with(std::string(kMaxKey, 'r'))), IsEmpty());
  EXPECT_EQ(denial(with(std::string(kMaxKey + 1, 'r'))),
            "berth: spec.replicas." + std::string(32, 'r') +
                "....template: has a key of 254 bytes in its path, more than the 253 that Berth "
                "reads; correct this template, or take it out of the object");
  const std::string start(32, 'r');
  const std::string both = R"({"spec": {"replicas": {")" + start + R"(...": {"template": )" +
                           kGpuPod + "}, \"" + std::string(300, 'r') + R"(": {"template": )" +
                           kGpuPod + "}}}}";
  EXPECT_THAT(denial(both), HasSubstr("has a key of 300 bytes"))
      << "though its beginning is the key of another one";
}

TEST_F(ReviewerTest, AuditsWhatItSaysOfAllTemplatesOfAnObject) {
  const std::string selecting =
      R"({"spec": {"nodeSelector": {"berth.dev/accelerator": "V100"}, "containers": [{}]}})";
  const std::string two = R"({"spec": {"replicas": {"Worker": {"template": )" +
                          std::string(kCpuPod) + R"(}, "Master": {"template": )" + selecting +
                          "}}}}";
  const Verdict verdict = reviewer_.Validate(ReviewOf(kTrainer, two), kReviewedEnforced);
  EXPECT_THAT(verdict.answer.warnings, SizeIs(2));
  EXPECT_THAT(
      verdict.answer.audit_annotations,
      ElementsAre(testing::Pair("isolation", testing::AllOf(HasSubstr("1.2.3: kept off nodes"),
                                                            HasSubstr("; asks for no accel")))));
  EXPECT_THAT(verdict.effects, SizeIs(1));
}

/// An object whose template says who creates its pods.
std::string Claiming(const std::string& creator, const std::string& image = "i") {
  return R"({"spec": {"template": {"metadata": {"annotations": {"berth.dev/created-by": ")" +
         creator + R"("}}, "spec": {"containers": [{"image": ")" + image + R"(", "resources": )" +
         R"({"limits": {"nvidia.com/gpu": 1}}}]}}}})";
}

TEST_F(ReviewerTest, DeniesTemplatesThatNameAnotherCreator) {
  const GroupVersionKind deployment{"apps", "v1", "Deployment"};
  const Review forged = ReviewOf(deployment, Claiming("bob"));
  EXPECT_THAT(reviewer_.Validate(forged, kReviewedEnforced).answer.denial,
              HasSubstr("berth creator: spec.template.metadata.annotations[berth.dev/created-by] "
                        "names 'bob', who does not write the template; remove it"));
  const Verdict warned = reviewer_.Validate(forged, kReviewedWarned);
  EXPECT_THAT(warned.answer.denial, IsEmpty());
  EXPECT_THAT(warned.answer.warnings,
              testing::Contains(HasSubstr("berth (warn only), denied: spec.template.metadata")));
  EXPECT_THAT(
      reviewer_.Validate(ReviewOf(deployment, Claiming("alice")), kReviewedEnforced).answer.denial,
      IsEmpty());
}

TEST_F(ReviewerTest, DeniesOnAnUpdateOnlyWhatIsNew) {
  const GroupVersionKind deployment{"apps", "v1", "Deployment"};
  const auto denial = [&](const std::string& from, const std::string& to) {
    return reviewer_.Validate(UpdateOf(deployment, from, to), kReviewedEnforced).answer.denial;
  };
  EXPECT_THAT(denial(Claiming("bob"), Claiming("bob", "other")), IsEmpty());
  EXPECT_THAT(denial(Claiming("bob"), Claiming("alice")), IsEmpty());
  EXPECT_THAT(denial(R"({"spec": {"template": 5}})", Claiming("bob")), HasSubstr("names 'bob'"));
  EXPECT_THAT(denial(Claiming("alice"), Claiming("bob")), HasSubstr("names 'bob'"));
  EXPECT_THAT(denial(TemplateOf(kGpuPod), Claiming("bob")), HasSubstr("names 'bob'"));
}

// The ReplicaSet of a Deployment has its template, whose author was asked about it.
TEST_F(ReviewerTest, LetsTheDeploymentControllerCopyATemplate) {
  Review copied = ReviewOf({"apps", "v1", "ReplicaSet"}, Claiming("bob"));
  copied.user.name = "system:serviceaccount:kube-system:deployment-controller";
  EXPECT_THAT(reviewer_.Validate(copied, kReviewedEnforced).answer.denial, IsEmpty());
}

}  // namespace
}  // namespace berth::admission
