#include "controller/gang_evictor.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/api_reply.h"
#include "model/avoid.h"
#include "tests/unit/kube/scripted_transport.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::controller {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

const model::GangNames kNames("berth.dev");

constexpr char kBudget[] = R"({"message":"would violate the pod's disruption budget",)"
                           R"("details":{"causes":[{"reason":"DisruptionBudget"}]}})";

struct PodOfGang {
  std::string name;
  std::string gang = "train";
  std::string node = "a";
  std::string phase = "Running";
  std::string index = "";
  std::string job = "";
  std::string set = "";
  std::string eviction = "";
  std::string created = "2026-01-31T11:00:00Z";
  bool is_freed = false;
};

struct JobOfGang {
  std::string uid;
  int succeeded = 0;
  std::string set = "";
  bool deleted = false;
};

std::string LabelsOf(const std::string& set) {
  return set.empty() ? "" : R"("jobset.sigs.k8s.io/jobset-uid":")" + set + '"';
}

std::string JsonOf(const JobOfGang& job) {
  const std::string deleted = job.deleted ? R"("deletionTimestamp":"2026-01-01T00:00:00Z",)" : "";
  return R"({"metadata":{"uid":")" + job.uid + R"(",)" + deleted + R"("labels":{)" +
         LabelsOf(job.set) + R"(}},"status":{"succeeded":)" + std::to_string(job.succeeded) + "}}";
}

std::string JsonOf(const PodOfGang& pod) {
  std::string annotations =
      R"("berth.dev/gang-name":")" + pod.gang + R"(","berth.dev/gang-size":"4")";
  if (!pod.index.empty()) {
    annotations += R"(,"batch.kubernetes.io/job-completion-index":")" + pod.index + '"';
  }
  if (!pod.eviction.empty()) {
    annotations += R"(,"berth.dev/gang-eviction":")" + pod.eviction + '"';
  }
  if (pod.is_freed) annotations += R"(,"berth.dev/gang-freed":"true")";
  std::string owners;
  if (!pod.job.empty()) {
    owners =
        R"({"apiVersion":"batch/v1","kind":"Job","controller":true,"uid":")" + pod.job + R"("})";
  }
  return R"({"metadata":{"namespace":"ml","name":")" + pod.name + R"(","uid":")" + pod.name +
         R"(-uid","creationTimestamp":")" + pod.created + R"(","labels":{)" + LabelsOf(pod.set) +
         R"(},"annotations":{)" + annotations + R"(},"ownerReferences":[)" + owners +
         R"(]},"spec":{"nodeName":")" + pod.node + R"("},"status":{"phase":")" + pod.phase +
         R"("}})";
}

std::string Unreadable(const PodOfGang& pod) {
  std::string text = JsonOf(pod);
  return text.insert(text.find(R"("nodeName")"), R"("priority":"high",)");
}

class GangEvictor : public ::testing::Test {
 protected:
  template <class Object = PodOfGang>
  void List(const std::vector<Object>& objects) {
    std::string items;
    for (const Object& object : objects) items += (items.empty() ? "" : ",") + JsonOf(object);
    transport_.replies.push_back({.body = R"({"metadata":{},"items":[)" + items + "]}"});
  }
  void Reply(int status, const std::string& body = "{}") {
    transport_.replies.push_back({.status = status, .body = body});
  }
  // Lists the pods, and evicts those of the gang.
  absl::Status Evict(bool is_wanted = true) {
    auto pods = PodsOfGang(transport_, "ml", "train", kNames);
    if (!pods.ok()) return pods.status();
    return EvictGang(transport_, Gang(is_wanted), *std::move(pods), kNames);
  }
  absl::Status EvictRest(bool is_wanted = true) {
    auto pods = PodsOfGang(transport_, "ml", "train", kNames);
    if (!pods.ok()) return pods.status();
    return EvictRestOfGang(transport_, Gang(is_wanted), *std::move(pods), kNames);
  }
  static GangToEvict Gang(bool is_wanted) {
    return {.namespace_ = "ml",
            .gang = "train",
            .now = *model::TimeFromRfc3339("2026-01-31T12:00:00Z"),
            .is_wanted = [is_wanted] { return is_wanted; }};
  }
  planner::SucceededPods Count(const std::vector<JobOfGang>& jobs = {}) {
    List<JobOfGang>(jobs);
    return *CountSucceeded(transport_, "ml", kNames);
  }
  // What it was asked of which pods, in their order, after the list: to evict "train-0", and before
  // that, "train-0 dry"; "train-0 begins" is the pod that says so.
  std::vector<std::string> Asked() const {
    std::vector<std::string> asked;
    for (std::size_t i = 1; i < transport_.requests.size(); ++i) {
      const kube::HttpRequest& request = transport_.requests[i];
      std::string name = request.target.substr(std::string("/api/v1/namespaces/ml/pods/").size());
      if (request.method == kube::HttpMethod::kPatch) {
        asked.push_back(name + " begins");
        continue;
      }
      name.resize(name.find("/eviction"));
      const bool dry = request.body.find(R"("dryRun":["All"])") != std::string::npos;
      asked.push_back(name + (dry ? " dry" : ""));
    }
    return asked;
  }

  kube::ScriptedTransport transport_;
};

TEST_F(GangEvictor, EvictsAllPodsOfTheGangThatHaveNotEnded) {
  List({{"train-0"}, {"other-0", "other"}, {"train-1"}, {"train-2", "train", "a", "Succeeded"}});
  Reply(404);
  Reply(201);
  Reply(200);
  Reply(404);
  Reply(201);
  EXPECT_TRUE(Evict().ok());
  EXPECT_THAT(Asked(),
              ElementsAre("train-0 dry", "train-1 dry", "train-1 begins", "train-0", "train-1"));
  EXPECT_EQ(
      transport_.requests[3].body,
      R"({"metadata":{"annotations":{"berth.dev/gang-eviction":"2026-01-31T12:00:00Z pods=2"},)"
      R"("uid":"train-1-uid"}})");
  EXPECT_EQ(transport_.requests.back().body,
            R"({"apiVersion":"policy/v1","deleteOptions":{"preconditions":{"uid":"train-1-uid"}},)"
            R"("kind":"Eviction","metadata":{"name":"train-1","namespace":"ml"}})");
}

TEST_F(GangEvictor, APodOfAnotherGangThatCannotBeReadHidesNoOthers) {
  const std::string odd = Unreadable({"other-0", "other"}) + R"(,{"metadata":{"name":7}},)";
  transport_.replies.push_back(
      {.body = R"({"metadata":{},"items":[)" + odd + JsonOf(PodOfGang{"train-0"}) + "]}"});
  Reply(200);
  Reply(200);
  Reply(201);
  EXPECT_TRUE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-0 begins", "train-0"));
}

TEST_F(GangEvictor, EvictsNobodyIfAPodOfTheGangCannotBeRead) {
  transport_.replies.push_back({.body = R"({"metadata":{},"items":[)" + Unreadable({"train-1"}) +
                                        "," + JsonOf(PodOfGang{"train-0"}) + "]}"});
  EXPECT_THAT(std::string(Evict().message()),
              AllOf(HasSubstr("pod train-1: "), HasSubstr("priority")));
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(GangEvictor, ListsThePodsOfSeveralGangsAtOnce) {
  Reply(406);
  List({{"train-0"}, {"other-0", "other"}, {"third-0", "third"}, {"train-1"}});
  const auto pods = PodsOfGangs(transport_, "ml", {"train", "other", "none"}, kNames);
  ASSERT_TRUE(pods.ok());
  EXPECT_THAT(transport_.requests, SizeIs(2)) << "in protobuf, and then in JSON";
  std::vector<std::string> found;
  for (const auto& [gang, its] : *pods) {
    found.push_back(gang + ':');
    for (const RunningPod& pod : its.value()) found.push_back(pod.pod.name);
  }
  EXPECT_THAT(found, ElementsAre("none:", "other:", "other-0", "train:", "train-0", "train-1"));
}

kube::pb::Pod ProtobufOf(const std::string& name, const std::string& gang) {
  kube::pb::Pod pod = kube::MakePod();
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_uid(name + "-uid");
  pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(1'700'000'000);
  auto& annotations = *pod.mutable_metadata()->mutable_annotations();
  annotations["berth.dev/gang-name"] = gang;
  annotations["berth.dev/gang-size"] = "4";
  annotations["berth.dev/gang-eviction"] = "2026-01-31T11:55:00Z pods=5";
  annotations["berth.dev/gang-freed"] = "true";
  annotations["example.com/notes"] = "none";
  return pod;
}

TEST_F(GangEvictor, ListsThePodsOfGangsInProtobuf) {
  kube::pb::Pod deleted = ProtobufOf("train-1", "train");
  deleted.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1'700'000'000);
  kube::pb::Pod ended = ProtobufOf("train-2", "train");
  ended.mutable_status()->set_phase("Succeeded");
  kube::pb::ObjectList list =
      kube::ListOf(ProtobufOf("train-0", "train"), ProtobufOf("third-0", "third"), deleted, ended);
  list.mutable_metadata()->set_resource_version("7");
  transport_.replies.push_back(
      {.body = kube::Body("PodList", list), .content_type = kube::kProtobufType});
  const auto pods = PodsOfGangs(transport_, "ml", {"train", "other"}, kNames);
  ASSERT_TRUE(pods.ok());
  EXPECT_THAT(transport_.requests, SizeIs(1));
  EXPECT_THAT(*pods->at("other"), IsEmpty());
  ASSERT_THAT(*pods->at("train"), SizeIs(1));
  const model::Pod& pod = pods->at("train")->front().pod;
  EXPECT_EQ(pod.name, "train-0");
  EXPECT_EQ(pod.uid, "train-0-uid");
  EXPECT_FALSE(pod.node_name.empty());
  EXPECT_EQ(pod.created, model::Time(std::chrono::seconds(1'700'000'000)));
  EXPECT_THAT(pod.annotations,
              ElementsAre(Pair("berth.dev/gang-eviction", "2026-01-31T11:55:00Z pods=5"),
                          Pair("berth.dev/gang-freed", "true")));
}

// The API server is slow or refuses for now: another list would make it worse.
TEST_F(GangEvictor, DoesNotListThemAgainIfTheServerRefuses) {
  Reply(429);
  EXPECT_EQ(PodsOfGangs(transport_, "ml", {"train"}, kNames).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(GangEvictor, APodThatCannotBeReadConcernsItsGangAlone) {
  Reply(406);
  const std::string odd = Unreadable({"other-0", "other"});
  transport_.replies.push_back(
      {.body = R"({"metadata":{},"items":[)" + odd + "," + JsonOf(PodOfGang{"train-0"}) + "]}"});
  const auto pods = PodsOfGangs(transport_, "ml", {"train", "other"}, kNames);
  ASSERT_TRUE(pods.ok());
  EXPECT_THAT(*pods->at("train"), SizeIs(1));
  EXPECT_EQ(pods->at("other").status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GangEvictor, APodWhoseGangCannotBeReadMayBeOfAny) {
  Reply(406);
  transport_.replies.push_back({.body = R"({"metadata":{},"items":[{"metadata":{"name":"odd",)"
                                        R"("annotations":7}},)" +
                                        JsonOf(PodOfGang{"train-0"}) + "]}"});
  const auto pods = PodsOfGangs(transport_, "ml", {"train", "other"}, kNames);
  ASSERT_TRUE(pods.ok());
  for (const char* gang : {"train", "other"}) {
    EXPECT_THAT(std::string(pods->at(gang).status().message()), HasSubstr("pod odd: ")) << gang;
  }
}

TEST_F(GangEvictor, OfLargePodsLittleIsKept) {
  std::string tolerations;
  for (int i = 0; i < 10000; ++i) tolerations += R"({"operator":"Exists"},)";
  std::string pod = JsonOf(PodOfGang{"train-0"});
  pod.replace(pod.find(R"("nodeName")"), 0, R"("tolerations":[)" + tolerations + "{}],");
  pod.replace(pod.find(R"("berth.dev/gang-name")"), 0,
              R"("berth.dev/gang-freed":"true","example.com/notes":")" + std::string(100000, 'x') +
                  R"(",)");
  transport_.replies.push_back({.body = R"({"metadata":{},"items":[)" + pod + "]}"});
  const auto pods = PodsOfGang(transport_, "ml", "train", kNames);
  ASSERT_TRUE(pods.ok());
  ASSERT_THAT(*pods, SizeIs(1));
  const model::Pod& kept = pods->front().pod;
  EXPECT_EQ(kept.name, "train-0");
  EXPECT_EQ(kept.uid, "train-0-uid");
  EXPECT_EQ(kept.node_name, "a");
  EXPECT_NE(kept.created, model::kNoTime);
  EXPECT_THAT(kept.tolerations, IsEmpty());
  EXPECT_THAT(kept.annotations, ElementsAre(Pair("berth.dev/gang-freed", "true")));
}

// The others would be made anew, again and again, and wait for it.
TEST_F(GangEvictor, EvictsNobodyIfOnePodMayNotBeEvicted) {
  List({{"train-0"}, {"train-1"}});
  Reply(201);
  Reply(429, kBudget);
  const absl::Status status = Evict();
  EXPECT_THAT(std::string(status.message()), HasSubstr("pod train-1: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("disruption budget"));
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry"));
}

// A budget allows one pod, and then no other one: those that are bound show that first.
TEST_F(GangEvictor, EndsWithTheFirstRefusal) {
  List({{"train-0", "train", ""}, {"train-1"}, {"train-2"}, {"train-3"}});
  for (int i = 0; i < 6; ++i) Reply(201);
  Reply(429, R"({"message":"no"})");
  EXPECT_FALSE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-1 dry", "train-2 dry", "train-3 dry", "train-0 dry",
                                   "train-3 begins", "train-1", "train-2"));
}

// It is still there as long as anybody else is.
TEST_F(GangEvictor, ThePodThatSaysThatTheEvictionHasBegunGoesLast) {
  List({{"train-0"}, {"train-1"}, {"train-2", "train", ""}});
  for (int i = 0; i < 7; ++i) Reply(200);
  EXPECT_TRUE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry", "train-2 dry", "train-1 begins",
                                   "train-0", "train-2", "train-1"));
}

TEST_F(GangEvictor, EvictsNobodyIfNoPodCanSayThatItHasBegun) {
  List({{"train-0"}, {"train-1"}});
  Reply(201);
  Reply(201);
  Reply(500);
  EXPECT_FALSE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry", "train-1 begins"));
}

TEST_F(GangEvictor, IfThatPodIsGoneAnotherOneSaysThatItHasBegun) {
  List({{"train-0"}, {"train-1"}});
  Reply(201);
  Reply(404);
  Reply(404);
  Reply(200);
  Reply(404);
  Reply(201);
  EXPECT_TRUE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry", "train-1 begins", "train-0 begins",
                                   "train-1", "train-0"));
}

// As of a StatefulSet: another pod has its name.
TEST_F(GangEvictor, IfThatPodWasReplacedAnotherOneSaysThatItHasBegun) {
  List({{"train-0"}, {"train-1"}});
  const std::string other =
      R"({"message":"Operation cannot be fulfilled on Pod \"train-1\": the UID in the )"
      R"(precondition (a) does not match the UID in record (b). The object might have been )"
      R"(deleted and then recreated"})";
  Reply(201);
  Reply(409, other);
  Reply(422);
  Reply(200);
  Reply(409, other);
  Reply(201);
  EXPECT_TRUE(Evict().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry", "train-1 begins", "train-0 begins",
                                   "train-1", "train-0"));
}

// As where a policy refuses the annotation.
TEST_F(GangEvictor, EvictsNobodyIfNoPodMaySayThatItHasBegun) {
  List({{"train-0"}, {"train-1"}});
  for (int i = 0; i < 2; ++i) Reply(201);
  for (int i = 0; i < 2; ++i) Reply(422);
  EXPECT_EQ(Evict().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(),
              ElementsAre("train-0 dry", "train-1 dry", "train-1 begins", "train-0 begins"));
}

TEST_F(GangEvictor, EvictsNobodyIfAPodIsBeingChanged) {
  List({{"train-0"}, {"train-1"}});
  Reply(409, R"({"message":"the object has been modified"})");
  EXPECT_EQ(Evict().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry"));
}

// train-1 was made anew meanwhile, and train-3 has waited from the beginning.
TEST_F(GangEvictor, GoesOnWithAnEvictionThatHasEndedHalfWay) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"},
        {.name = "train-1", .created = "2026-01-31T11:55:10Z"},
        {.name = "train-2"},
        {.name = "train-3", .node = ""}});
  for (int i = 0; i < 3; ++i) Reply(201);
  EXPECT_TRUE(EvictRest().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-2", "train-3", "train-0"));
}

TEST_F(GangEvictor, GoesOnWithTheLatestEviction) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"},
        {.name = "train-1",
         .eviction = "2026-01-31T11:57:00Z pods=5",
         .created = "2026-01-31T11:56:00Z"},
        {.name = "train-2", .created = "2026-01-31T11:56:00Z"}});
  for (int i = 0; i < 3; ++i) Reply(201);
  EXPECT_TRUE(EvictRest().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-0", "train-2", "train-1"));
}

// As long as others are left, somebody has to say that it has begun.
TEST_F(GangEvictor, WhatIsLeftOfTheRestCanStillBeEvicted) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"}, {.name = "train-1"}});
  Reply(500);
  EXPECT_FALSE(EvictRest().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-1"));
}

TEST_F(GangEvictor, DoesNotGoOnIfNobodySaysThatItHasBegun) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:50:00Z pods=5"}, {.name = "train-1"}});
  EXPECT_EQ(EvictRest().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(GangEvictor, DoesNotGoOnIfTheGangHasBecomeWholeMeanwhile) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"}, {.name = "train-1"}});
  EXPECT_EQ(EvictRest(false).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(), IsEmpty());
}

// The controller was killed before the very first one was evicted.
TEST_F(GangEvictor, AsksFirstIfNobodyHasGone) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=2"}, {.name = "train-1"}});
  for (int i = 0; i < 4; ++i) Reply(201);
  EXPECT_TRUE(EvictRest().ok());
  EXPECT_THAT(Asked(), ElementsAre("train-1 dry", "train-0 dry", "train-1", "train-0"));
}

// The API server has too much to do. It forbids nothing, and the rest is tried again.
TEST_F(GangEvictor, ARefusalToServeIsNoBudget) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"}, {.name = "train-1"}});
  Reply(429, R"({"message":"Too many requests, please try again later."})");
  EXPECT_EQ(EvictRest().code(), absl::StatusCode::kUnavailable);
}

// A budget did so before, and they have run since then.
TEST_F(GangEvictor, DoesNotGoOnIfNobodyHasGoneAndABudgetForbidsIt) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=2"}, {.name = "train-1"}});
  Reply(429, kBudget);
  EXPECT_EQ(EvictRest().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Asked(), ElementsAre("train-1 dry"));
}

TEST_F(GangEvictor, DoesNotGoOnIfAPodWasLetGoByHand) {
  List({{.name = "train-0", .eviction = "2026-01-31T11:55:00Z pods=5"},
        {.name = "train-1", .is_freed = true}});
  EXPECT_EQ(EvictRest().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(GangEvictor, EvictsNobodyOfAGangThatHasBecomeWholeMeanwhile) {
  List({{"train-0"}, {"train-1"}});
  Reply(201);
  Reply(201);
  EXPECT_EQ(Evict(false).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Asked(), ElementsAre("train-0 dry", "train-1 dry"));
}

TEST_F(GangEvictor, WithoutAListEvictsNobody) {
  Reply(403);
  EXPECT_FALSE(Evict().ok());
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(GangEvictor, AsksForAFewPodsOnlyWhereThereIsNoBudget) {
  std::vector<RunningPod> pods;
  for (int i = 0; i < 64; ++i) {
    RunningPod pod;
    pod.pod.namespace_ = "ml";
    pod.pod.name = "train-" + std::to_string(i);
    pod.pod.node_name = "a";
    pod.pod.controller_uid = i < 20 ? "driver" : "workers";
    pods.push_back(pod);
  }
  std::vector<std::string> asked;
  std::size_t evicted = 0;
  const EvictPods evict = [&](const std::vector<RunningPod>& some, bool dry_run) {
    for (const RunningPod& pod : some) {
      if (dry_run) asked.push_back(pod.pod.name);
    }
    if (!dry_run) evicted += some.size();
    return absl::OkStatus();
  };
  GangToEvict gang = Gang(true);
  for (const bool may_have_budgets : {true, false}) {
    for (int i = 0; i < 2; ++i) Reply(200);  // the mark, and the last pod
    asked.clear();
    evicted = 0;
    gang.may_have_budgets = may_have_budgets;
    EXPECT_TRUE(EvictGang(transport_, gang, pods, kNames, evict).ok());
    EXPECT_EQ(evicted, 63U);
    if (may_have_budgets) {
      EXPECT_THAT(asked, SizeIs(64));
    }
  }
  EXPECT_THAT(asked, ElementsAre("train-0", "train-12", "train-20", "train-25", "train-37",
                                 "train-50", "train-63"));
}

TEST_F(GangEvictor, KnowsThatThereIsNoBudgetOnlyIfTheServerSaysSo) {
  const auto may_have = [this](int status, const std::string& body) {
    Reply(status, body);
    return MayHaveBudgets(transport_, "ml");
  };
  EXPECT_FALSE(may_have(200, R"({"metadata":{},"items":[]})"));
  EXPECT_EQ(transport_.requests.back().target,
            "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?limit=1");
  EXPECT_TRUE(may_have(200, R"({"items":[{"metadata":{"name":"b"}}]})"));
  EXPECT_TRUE(may_have(200, "{}"));
  EXPECT_TRUE(may_have(200, "<html>"));
  EXPECT_TRUE(may_have(403, "{}"));
  EXPECT_TRUE(may_have(500, "{}"));
}

TEST_F(GangEvictor, CountsPodsOfIndexedJobs) {
  List({{"train-0", "train", "a", "Succeeded", "0", "job"},
        {"train-1", "train", "a", "Failed", "1", "job"},
        {"train-2", "train", "a", "Succeeded"},
        {"train-3", "train", "", "Pending", "1", "job"},
        {"other-0", "other", "a", "Succeeded", "0", "another"},
        {"other-1", "other", "a", "Running", "1", "another"}});
  EXPECT_THAT(Count(), ElementsAre(Pair("other", 1), Pair("train", 1)));
}

// As where a CronJob's template has the gang's name: the pods of its last run are still there.
TEST_F(GangEvictor, CountsNoPodsOfAFormerIndexedJob) {
  List({{"night-1-0", "train", "a", "Succeeded", "0", "former"},
        {"night-1-1", "train", "a", "Succeeded", "1", "former"},
        {"night-2-0", "train", "", "Pending", "0", "job"},
        {"night-2-1", "train", "a", "Failed", "1", "job"}});
  EXPECT_THAT(Count(), IsEmpty());
}

TEST_F(GangEvictor, CountsAnIndexOnce) {
  List({{"train-0-a", "train", "a", "Succeeded", "0", "job"},
        {"train-0-b", "train", "a", "Succeeded", "0", "job"},
        {"train-1", "train", "", "Pending", "1", "job"}});
  EXPECT_THAT(Count(), ElementsAre(Pair("train", 1)));
}

// Two of its Jobs are done, and the third is not.
TEST_F(GangEvictor, CountsPodsOfAJobSetThatStillHasOthers) {
  List({{"set-a-0", "train", "a", "Succeeded", "0", "a", "set"},
        {"set-b-0", "train", "a", "Succeeded", "0", "b", "set"},
        {"set-b-x", "train", "a", "Succeeded", "", "b", "set"},
        {"set-c-0", "train", "", "Pending", "0", "c", "set"},
        {"old-a-0", "train", "a", "Succeeded", "0", "d", "former"}});
  EXPECT_THAT(Count(), ElementsAre(Pair("train", 3)));
}

TEST_F(GangEvictor, CountsPodsOfAJobThatStillHasOthers) {
  List({{"train-a", "train", "a", "Succeeded", "", "job"},
        {"train-b", "train", "a", "Succeeded", "", "job"},
        {"train-c", "train", "", "Pending", "", "job"}});
  EXPECT_THAT(Count(), ElementsAre(Pair("train", 2)));
}

// The garbage collector has deleted them, or somebody who evicted them while they succeeded.
TEST_F(GangEvictor, CountsPodsThatAreGoneAsTheirJobSays) {
  List({{"train-0", "train", "a", "Succeeded", "0", "job"},
        {"train-3", "train", "", "Pending", "3", "job"}});
  EXPECT_THAT(Count({{"job", 3}, {"another", 9}}), ElementsAre(Pair("train", 3)));
  EXPECT_EQ(transport_.requests.back().target.substr(0, 34), "/apis/batch/v1/namespaces/ml/jobs?");
}

// What it says of itself comes later.
TEST_F(GangEvictor, CountsPodsBeforeTheirJobDoes) {
  List({{"train-0", "train", "a", "Succeeded", "0", "job"},
        {"train-1", "train", "a", "Succeeded", "1", "job"},
        {"train-2", "train", "", "Pending", "2", "job"}});
  EXPECT_THAT(Count({{"job", 1}}), ElementsAre(Pair("train", 2)));
}

// Such as the initializers of a TrainJob, of which only the nodes are a gang.
TEST_F(GangEvictor, CountsNoJobsOfTheJobSetThatHaveNoPodInTheGang) {
  List({{"set-b-0", "train", "", "Pending", "0", "b", "set"}});
  EXPECT_THAT(Count({{"a", 2, "set"}, {"b", 1, "set"}}), ElementsAre(Pair("train", 1)));
}

TEST_F(GangEvictor, CountsJobsOfAJobSetOfSeveralGangsByTheirPods) {
  List({{"set-a-0", "one", "", "Pending", "0", "a", "set"},
        {"set-b-0", "two", "", "Pending", "0", "b", "set"}});
  EXPECT_THAT(Count({{"a", 2, "set"}, {"b", 1, "set"}, {"c", 4, "set"}}),
              ElementsAre(Pair("one", 2), Pair("two", 1)));
}

// Its JobSet starts over.
TEST_F(GangEvictor, CountsNoJobThatIsDeleted) {
  List({{"set-a-0", "train", "a", "Succeeded", "0", "a", "set"},
        {"set-b-0", "train", "", "Pending", "0", "b", "set"}});
  EXPECT_THAT(Count({{.uid = "a", .succeeded = 2, .set = "set", .deleted = true}}), IsEmpty());
}

TEST_F(GangEvictor, WithoutAListOfJobsCountsNothing) {
  List({{"train-0", "train", "a", "Succeeded", "0", "job"},
        {"train-1", "train", "", "Pending", "1", "job"}});
  Reply(403);
  EXPECT_FALSE(CountSucceeded(transport_, "ml", kNames).ok());
}

// It may be of the gang's last start.
TEST_F(GangEvictor, CountsNoPodsOfAnotherJob) {
  List({{"train-a", "train", "a", "Succeeded", "", "former"},
        {"train-b", "train", "", "Pending", "", "job"}});
  EXPECT_THAT(Count(), IsEmpty());
}

}  // namespace
}  // namespace berth::controller
