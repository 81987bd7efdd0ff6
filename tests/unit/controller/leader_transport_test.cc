#include "controller/leader_transport.h"

#include <iterator>

#include "controller/object_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/api_reply.h"
#include "tests/unit/controller/election_fixtures.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using kube::HttpMethod;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LeaderTransportTest : public ::testing::Test {
 protected:
  absl::Status Send(HttpMethod method) {
    scripted_.replies = {{.status = 200}};
    kube::BodySink sink(1);
    return transport_.Send({.method = method, .target = "/x"}, sink);
  }

  FakeTime clock_;
  FakeLease lease_;
  Candidate candidate_{"a", &lease_, &clock_};
  kube::ScriptedTransport scripted_;
  LeaderTransport transport_{&scripted_, [this] { return candidate_.LeadsUntil(); }};
};

constexpr HttpMethod kWrites[] = {HttpMethod::kPost, HttpMethod::kPut, HttpMethod::kPatch,
                                  HttpMethod::kDelete};

TEST_F(LeaderTransportTest, ReadsForEverybody) {
  EXPECT_TRUE(Send(HttpMethod::kGet).ok());
  ASSERT_THAT(scripted_.requests, SizeIs(1));
  EXPECT_EQ(scripted_.requests[0].send_by, std::nullopt);
}

TEST_F(LeaderTransportTest, WritesForNobodyButTheLeader) {
  for (const HttpMethod method : kWrites) EXPECT_TRUE(absl::IsCancelled(Send(method)));
  EXPECT_THAT(scripted_.requests, IsEmpty());
  candidate_.Step();
  for (const HttpMethod method : kWrites) EXPECT_TRUE(Send(method).ok());
  EXPECT_THAT(scripted_.requests, SizeIs(std::size(kWrites)));
}

TEST_F(LeaderTransportTest, SendsNothingAfterTheRightHasEnded) {
  candidate_.Step();
  const auto led_since = clock_.now;
  clock_.now += seconds(3);
  ASSERT_TRUE(Send(HttpMethod::kPatch).ok());
  EXPECT_EQ(scripted_.requests[0].send_by, led_since + seconds(10));
  clock_.now += seconds(7);
  EXPECT_TRUE(absl::IsCancelled(Send(HttpMethod::kPatch)));
}

TEST_F(LeaderTransportTest, SendsNothingOnceAnotherHasTheLease) {
  candidate_.Step();
  lease_.Steal("thief");
  candidate_.Step();
  EXPECT_TRUE(absl::IsCancelled(Send(HttpMethod::kPatch)));
}

// Whatever it is, and whether or not its author asks before each of them.
TEST_F(LeaderTransportTest, AWriteOfSeveralRequestsEndsWithTheRight) {
  FakeApi api;
  LeaderTransport transport(&api, [this] { return candidate_.LeadsUntil(); });
  ObjectClient client(&transport);
  candidate_.Step();
  api.after = [this] { clock_.now += seconds(4); };
  std::vector<absl::Status> results;
  for (const char* name : {"a", "b", "c", "d"}) {
    results.push_back(client.Create(SecretsIn("berth-system"),
                                    kube::ApiObject::New("v1", "Secret", "berth-system", name)));
  }
  EXPECT_THAT(api.TakeWrites(), SizeIs(3)) << "at 0, 4 and 8 s, and none at 12 s";
  EXPECT_TRUE(absl::IsCancelled(results.back()));
}

}  // namespace
}  // namespace berth::controller
