#include "placement/gang_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placement/placement_messages.h"
#include "proto/berth/v1/gangs.grpc.pb.h"
#include "tests/integration/placement_fixture.h"

// berth.v1.Gangs as its clients see it.

namespace berth::tests {
namespace {

using grpc::StatusCode;
using planner::GangChange;
using planner::GangEvent;
using ::testing::HasSubstr;

class GangServiceTest : public ::testing::Test {
 protected:
  GangServiceTest() {
    server::GrpcListenerOptions options;
    options.services = {placement::MakeGangService({.status = [this] { return status_; },
                                                    .known = [this] { return known_; },
                                                    .changes = changes_})};
    options.names = {placement::kGangService};
    listener_ = *server::GrpcListener::Start(std::move(options));
    stub_ = v1::Gangs::NewStub(ConnectTo(listener_->port()));
  }
  ~GangServiceTest() override { changes_.Close(); }

  grpc::Status List(v1::ListGangsResponse& response, const std::string& namespace_name = "") {
    v1::ListGangsRequest request;
    request.set_namespace_(namespace_name);
    return stub_->ListGangs(NewContext().get(), request, &response);
  }

  // A client that gets every change from now on.
  std::unique_ptr<grpc::ClientReader<v1::WatchGangsResponse>> Watch(grpc::ClientContext* context) {
    auto stream = stub_->WatchGangs(context, {});
    stream->WaitForInitialMetadata();
    return stream;
  }

  absl::Status status_;
  std::optional<std::vector<planner::GangOutlook>> known_;
  server::Broker<GangChange> changes_;
  std::unique_ptr<server::GrpcListener> listener_;
  std::unique_ptr<v1::Gangs::Stub> stub_;
};

TEST_F(GangServiceTest, ListsTheGangsOfANamespaceOrAll) {
  known_ = {{.namespace_ = "ml", .name = "train", .reason = "12 of 16 pods fit at once"},
            {.namespace_ = "team", .name = "sweep"}};
  v1::ListGangsResponse all;
  ASSERT_TRUE(List(all).ok());
  EXPECT_EQ(all.SerializeAsString(), placement::ToMessage(*known_, "").SerializeAsString());
  v1::ListGangsResponse of_one;
  ASSERT_TRUE(List(of_one, "team").ok());
  ASSERT_EQ(of_one.gangs_size(), 1);
  EXPECT_EQ(of_one.gangs(0).name(), "sweep");
}

TEST_F(GangServiceTest, TellsChangesToAllWhoWatch) {
  const auto contexts = {NewContext(), NewContext()};
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchGangsResponse>>> streams;
  for (const auto& context : contexts) streams.push_back(Watch(context.get()));
  changes_.Publish({.name = "train", .event = GangEvent::kPlanned});
  changes_.Publish({.name = "train", .event = GangEvent::kReleased, .spans = {{"rack", 1}}});
  for (const auto& stream : streams) {
    v1::WatchGangsResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.change().event(), v1::GangChange::EVENT_PLANNED);
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.change().event(), v1::GangChange::EVENT_RELEASED);
    EXPECT_EQ(response.change().spans(0).label(), "rack");
    EXPECT_EQ(response.lost(), 0u);
  }
}

// The client's window and gRPC's buffers fill, then the queue; the planner is never held up.
TEST_F(GangServiceTest, ClientThatDoesNotReadLosesTheOldestAndIsToldHowMany) {
  constexpr std::uint64_t kChanges = 20'000;
  const auto context = NewContext();
  // Under a sanitizer these are a lot of changes.
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(5));
  const auto stream = Watch(context.get());
  const GangChange change{.name = "train", .reason = std::string(4096, 'n')};
  for (std::uint64_t i = 0; i < kChanges; ++i) changes_.Publish(change);
  std::uint64_t heard = 0;
  std::uint64_t lost = 0;
  v1::WatchGangsResponse response;
  while (heard + lost < kChanges && stream->Read(&response)) {
    ++heard;
    lost += response.lost();
  }
  EXPECT_EQ(heard + lost, kChanges);
  EXPECT_GT(lost, 0u);
}

TEST_F(GangServiceTest, SaysWhyNoGangsArePlanned) {
  known_.emplace();
  for (const absl::Status& why :
       {absl::FailedPreconditionError("gangs are not planned; set planner.gangs.enabled: true"),
        absl::UnavailableError("this controller does not lead; ask berth-controller-1")}) {
    status_ = why;
    v1::ListGangsResponse list;
    const auto context = NewContext();
    for (const grpc::Status& status :
         {List(list), stub_->WatchGangs(context.get(), {})->Finish()}) {
      EXPECT_EQ(static_cast<int>(status.error_code()), why.raw_code());
      EXPECT_EQ(status.error_message(), "berth: " + std::string(why.message()));
    }
  }
  EXPECT_FALSE(changes_.Wants());
}

TEST_F(GangServiceTest, ListsNothingBeforeTheFirstRound) {
  v1::ListGangsResponse response;
  const grpc::Status status = List(response);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("try again"));
}

TEST_F(GangServiceTest, EndsStreamsWhenNothingIsPlannedAnyMore) {
  const auto context = NewContext();
  const auto stream = Watch(context.get());
  changes_.EndWatches(absl::UnavailableError("watch again"));
  v1::WatchGangsResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAVAILABLE);
  const auto again = NewContext();
  const auto next = Watch(again.get());
  changes_.Publish({.name = "train"});
  EXPECT_TRUE(next->Read(&response));
}

}  // namespace
}  // namespace berth::tests
