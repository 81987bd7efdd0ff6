#include "controller/pod_groups.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class PodGroupsTest : public ::testing::Test {
 protected:
  void Reply(int status, std::string body = "{}") {
    transport_.replies.push_back({.status = status, .body = std::move(body)});
  }
  std::string LinesOfRead() {
    testing::internal::CaptureStderr();
    reader_.Read();
    return testing::internal::GetCapturedStderr();
  }

  kube::ScriptedTransport transport_;
  const model::GangNames names_{"berth.dev"};
  PodGroupReader reader_{&transport_, names_};
};

TEST_F(PodGroupsTest, AreCreatedClosedAndOpenedForSoManyPods) {
  Reply(201);
  Reply(200);
  EXPECT_TRUE(CreatePodGroup(transport_, {"ml", "berth-train", 16, "high"}, names_).ok());
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kPost);
  EXPECT_EQ(transport_.requests[0].target,
            "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups");
  EXPECT_EQ(transport_.requests[0].body,
            R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":)"
            R"({"labels":{"berth.dev/gang":"true"},"name":"berth-train"},"spec":)"
            R"({"priorityClassName":"high","schedulingPolicy":{"gang":{"minCount":2147483647}}}})");
  EXPECT_EQ(transport_.requests[1].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[1].target,
            "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups/berth-train");
  EXPECT_EQ(transport_.requests[1].body,
            R"([{"op":"test","path":"/metadata/labels/berth.dev~1gang","value":"true"},)"
            R"({"op":"test","path":"/spec/schedulingPolicy/gang/minCount","value":2147483647},)"
            R"({"op":"replace","path":"/spec/schedulingPolicy/gang/minCount","value":16}])");
  Reply(201);
  Reply(200);
  EXPECT_TRUE(CreatePodGroup(transport_, {"ml", "berth-train", 16}, names_).ok());
  EXPECT_THAT(transport_.requests[2].body, testing::Not(HasSubstr("priorityClassName")));
}

TEST_F(PodGroupsTest, ThatExistAreOpenedIfTheyAreClosedAndOurs) {
  const auto create = [this](int created, int opened) {
    Reply(created);
    Reply(opened);
    return CreatePodGroup(transport_, {"ml", "berth-train", 16}, names_).ok();
  };
  EXPECT_TRUE(create(409, 200));
  EXPECT_TRUE(create(409, 422)) << "it is open, or somebody else's";
  EXPECT_FALSE(create(409, 403));
  EXPECT_FALSE(create(201, 422)) << "it stays closed";
}

// One that was let go for all its pods lets each go by itself then.
TEST_F(PodGroupsTest, ThatExistAreFreedByHandIfTheyAreOurs) {
  const auto free = [this](int freed, int marked) {
    transport_.requests.clear();
    Reply(409);
    Reply(freed);
    Reply(marked);
    const NewPodGroup group{.namespace_ = "ml", .name = "berth-train", .freed = true};
    const bool ok = CreatePodGroup(transport_, group, names_).ok();
    transport_.replies.clear();
    return ok;
  };
  EXPECT_TRUE(free(200, 200));
  ASSERT_THAT(transport_.requests, SizeIs(3));
  EXPECT_EQ(transport_.requests[1].body,
            R"([{"op":"test","path":"/metadata/labels/berth.dev~1gang","value":"true"},)"
            R"({"op":"replace","path":"/spec/schedulingPolicy/gang/minCount","value":1}])");
  EXPECT_EQ(transport_.requests[2].body,
            R"({"metadata":{"annotations":{"berth.dev/gang-freed":"true"}}})");
  EXPECT_TRUE(free(422, 200)) << "it is somebody else's";
  EXPECT_THAT(transport_.requests, SizeIs(2));
  EXPECT_FALSE(free(200, 403));
}

TEST_F(PodGroupsTest, ThatCannotBeCreatedAreNotOpened) {
  Reply(422);
  EXPECT_FALSE(CreatePodGroup(transport_, {"ml", "berth-train", 16}, names_).ok());
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(PodGroupsTest, LoseTheirFinalizerBeforeTheyAreDeleted) {
  Reply(200);
  Reply(200);
  EXPECT_TRUE(DeletePodGroup(transport_, "ml", "berth-train", "uid-1").ok());
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[0].body,
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)"
            R"(["scheduling.k8s.io/podgroup-protection"],"uid":"uid-1"}})");
  EXPECT_EQ(transport_.requests[1].method, kube::HttpMethod::kDelete);
  EXPECT_EQ(transport_.requests[1].target,
            "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups/berth-train");
  EXPECT_EQ(transport_.requests[1].body, R"({"preconditions":{"uid":"uid-1"}})");
}

TEST_F(PodGroupsTest, ThatAreGoneNeedNotBeDeleted) {
  Reply(404);
  EXPECT_TRUE(DeletePodGroup(transport_, "ml", "berth-train", "uid-1").ok());
  Reply(200);
  Reply(404);
  EXPECT_TRUE(DeletePodGroup(transport_, "ml", "berth-train", "uid-1").ok());
  Reply(409);
  EXPECT_FALSE(DeletePodGroup(transport_, "ml", "berth-train", "uid-1").ok());
}

TEST_F(PodGroupsTest, AreReadWithTheirUids) {
  Reply(200, R"({"items":[{"metadata":{"namespace":"ml","name":"berth-train","uid":"uid-1",)"
             R"("annotations":{"berth.dev/gang-freed":"true"}},)"
             R"("spec":{"schedulingPolicy":{"gang":{"minCount":16}}}},)"
             R"({"metadata":{"namespace":"ml","name":"berth-tune","uid":"uid-2"},)"
             R"("spec":{"schedulingPolicy":{"gang":{"minCount":2147483647}}}}]})");
  const auto& known = reader_.Read();
  using planner::KnownPodGroup;
  EXPECT_THAT(known.groups,
              ElementsAre(Pair("ml/berth-train", AllOf(Field(&KnownPodGroup::uid, "uid-1"),
                                                       Field(&KnownPodGroup::is_open, true),
                                                       Field(&KnownPodGroup::is_freed, true))),
                          Pair("ml/berth-tune", AllOf(Field(&KnownPodGroup::uid, "uid-2"),
                                                      Field(&KnownPodGroup::is_open, false),
                                                      Field(&KnownPodGroup::is_freed, false)))));
  EXPECT_EQ(known.obstacle, "");
  EXPECT_EQ(transport_.requests[0].target,
            "/apis/scheduling.k8s.io/v1beta1/podgroups?labelSelector=berth.dev%2Fgang%3Dtrue"
            "&resourceVersion=0");
  Reply(200, R"({"items":null})");
  EXPECT_THAT(reader_.Read().groups, IsEmpty());
}

TEST_F(PodGroupsTest, AreReadPageByPageIfTheyAreLarge) {
  Reply(200,
        R"({"items":[{"metadata":{"name":")" + std::string(std::size_t{17} << 20, 'x') + "\"}}]}");
  Reply(200, R"({"metadata":{"continue":"more"},"items":[{"metadata":{"namespace":"ml",)"
             R"("name":"berth-train","uid":"uid-1"}}]})");
  Reply(200, R"({"items":[{"metadata":{"namespace":"ml","name":"berth-tune","uid":"uid-2"}}]})");
  EXPECT_THAT(reader_.Read().groups,
              ElementsAre(Pair("ml/berth-train", testing::_), Pair("ml/berth-tune", testing::_)));
}

TEST_F(PodGroupsTest, ThatCannotBeReadHideNoOthers) {
  Reply(200, R"({"items":[{"metadata":{"namespace":"ml","name":"berth-train","uid":"uid-1"},)"
             R"("spec":{"schedulingPolicy":{"gang":{"minCount":"many"}}}},)"
             R"({"metadata":{"namespace":"ml","name":"berth-tune","uid":"uid-2"}}]})");
  const auto& known = reader_.Read();
  EXPECT_THAT(known.groups, ElementsAre(Pair("ml/berth-tune", testing::_)));
  EXPECT_EQ(known.obstacle, "");
}

TEST_F(PodGroupsTest, ThatAreNotServedAreSaidOnce) {
  Reply(404);
  const std::string lines = LinesOfRead();
  EXPECT_THAT(lines, HasSubstr("GenericWorkload"));
  Reply(404);
  EXPECT_EQ(LinesOfRead(), "");
  Reply(404);
  EXPECT_THAT(reader_.Read().obstacle, HasSubstr("does not serve scheduling.k8s.io/v1beta1"));
  Reply(200);
  EXPECT_THAT(LinesOfRead(), HasSubstr("can be read"));
  EXPECT_EQ(reader_.Read().obstacle.empty(), false) << "the script has ended";
}

}  // namespace
}  // namespace berth::controller
