#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "placement/cluster_metrics.h"
#include "placement/placement_messages.h"
#include "tests/integration/placement_fixture.h"

// berth.v1.Placement as its clients see it.

namespace berth::tests {
namespace {

using grpc::StatusCode;
using placement::Explanation;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kPodJson[] =
    R"({"kind": "Pod", "metadata": {"namespace": "team", "name": "train", "annotations":
        {"berth.dev/accelerators": "A100,V1000,V100"}},
        "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "2"}}}]}})";

class PlacementServiceTest : public PlacementTest {
 protected:
  grpc::Status Explain(const std::string& pod, v1::ExplainResponse& response) {
    v1::ExplainRequest request;
    request.set_pod(pod);
    return Client()->Explain(NewContext().get(), request, &response);
  }

  // What kube-scheduler asks of the extender that decisions are watched of.
  void Filter(std::vector<std::string_view> names, std::string pod_name = "pod") {
    model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1);
    pod.name = std::move(pod_name);
    watched_.Filter({std::move(pod), std::move(names)}, policies::scheduling::kNow);
  }

  server::Metrics metrics_;
  extender::Placer watched_{berth.engine, berth.snapshot, metrics_, {&decisions}};
};

TEST_F(PlacementServiceTest, ExplainsAsTheLibraryDoes) {
  Start();
  v1::ExplainResponse response;
  const grpc::Status status = Explain(kPodJson, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  model::Pod pod = policies::scheduling::PodAskingFor(
      policies::scheduling::kGpu, 2, {{"berth.dev/accelerators", "A100,V1000,V100"}});
  const Explanation expected =
      placement::Explain(pod, berth.snapshot.Read(), *berth.engine, policies::scheduling::kNow);
  EXPECT_EQ(response.SerializeAsString(), ToMessage(expected).SerializeAsString());
  EXPECT_THAT(expected.nodes, SizeIs(3));
  EXPECT_THAT(expected.hints, ::testing::Not(::testing::IsEmpty()));
}

struct BadPod {
  std::string json;
  const char* error;
};

TEST_F(PlacementServiceTest, SaysWhatIsWrongWithAPod) {
  Start();
  const BadPod cases[] = {
      {"", "berth: the text is empty; expected JSON"},
      {"kind: Pod", "berth: the text is not JSON"},
      {"[]", "berth: pod"},
      {R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "many"}}}]}})",
       "berth: pod.spec.containers[0].resources.limits"},
      {std::string(100, '[') + std::string(100, ']'), "nests more than 64"},
  };
  for (const BadPod& test : cases) {
    v1::ExplainResponse response;
    const grpc::Status status = Explain(test.json, response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << test.json.substr(0, 80);
    EXPECT_THAT(status.error_message(), HasSubstr(test.error));
  }
}

TEST_F(PlacementServiceTest, CountsWhatTheMetricsCount) {
  Start();
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 3);
  pod.node_name = "a100";
  berth.snapshot.UpsertPod(pod);
  v1::CapacityResponse response;
  ASSERT_TRUE(Client()->Capacity(NewContext().get(), {}, &response).ok());
  EXPECT_EQ(placement::TimeOf(response.time()), policies::scheduling::kNow);
  placement::BreakerLog breaker_log;
  metrics_.AddCollectable(std::make_shared<placement::ClusterMetrics>(
      berth.snapshot, policies::scheduling::HealthConfig{}, policies::scheduling::Mode::kEnforce,
      "berth.dev/excluded", [] { return policies::scheduling::kNow; }, breaker_log));
  const std::string text = metrics_.Exposition();
  for (const v1::AcceleratorCapacity& each : response.accelerators()) {
    const std::string labels = "{accelerator=\"" + each.accelerator() + "\"";
    EXPECT_THAT(text, HasSubstr("berth_nodes" + labels + "} " +
                                std::to_string(each.devices().nodes()) + "\n"));
    for (const auto& [state, devices] : {std::pair{"total", each.devices().total()},
                                         {"used", each.devices().used()},
                                         {"free", each.devices().free()}}) {
      EXPECT_THAT(text, HasSubstr("berth_accelerator_devices" + labels + ",state=\"" + state +
                                  "\"} " + std::to_string(devices) + "\n"));
    }
  }
}

TEST_F(PlacementServiceTest, TellsWhoHoldsWhat) {
  Start();
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 3);
  pod.namespace_ = "nlp";
  pod.name = "bert";
  pod.uid = "u";
  pod.node_name = "a100";
  pod.annotations = {{"berth.dev/created-by", "alice"}};
  berth.snapshot.UpsertPod(pod);
  v1::HoldingsRequest request;
  v1::HoldingsResponse response;
  ASSERT_TRUE(Client()->Holdings(NewContext().get(), request, &response).ok());
  EXPECT_EQ(placement::TimeOf(response.time()), policies::scheduling::kNow);
  ASSERT_EQ(response.holdings_size(), 1);
  EXPECT_EQ(response.holdings(0).creator(), "alice");
  EXPECT_EQ(response.holdings(0).accelerator(), "A100");
  EXPECT_EQ(response.holdings(0).devices(), 3);
  request.set_namespace_("vision");
  ASSERT_TRUE(Client()->Holdings(NewContext().get(), request, &response).ok());
  EXPECT_EQ(response.holdings_size(), 0);
}

TEST_F(PlacementServiceTest, AnswersNothingBeforeTheFirstList) {
  const cluster::Snapshot unlisted({.catalog = policies::scheduling::Catalog()});
  server::Metrics metrics;
  berth.placer = std::make_shared<extender::Placer>(berth.engine, unlisted, metrics);
  Start();
  v1::CapacityResponse capacity;
  v1::ExplainResponse explanation;
  for (const grpc::Status& status :
       {Client()->Capacity(NewContext().get(), {}, &capacity), Explain(kPodJson, explanation)}) {
    EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("not listed yet"));
  }
}

TEST_F(PlacementServiceTest, TellsDecisionsToAllWhoWatch) {
  Start();
  const auto stub = Client();
  const auto contexts = {NewContext(), NewContext()};
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchDecisionsResponse>>> streams;
  for (const auto& context : contexts) {
    streams.push_back(stub->WatchDecisions(context.get(), {}));
    streams.back()->WaitForInitialMetadata();
  }
  Filter({"lost"});
  Filter({"good", "lost"});
  for (const auto& stream : streams) {
    v1::WatchDecisionsResponse refused;
    v1::WatchDecisionsResponse placed;
    ASSERT_TRUE(stream->Read(&refused));
    ASSERT_TRUE(stream->Read(&placed));
    EXPECT_EQ(refused.decision().decided_by(), "no node fits");
    EXPECT_EQ(refused.decision().refused(0).reason(), "node(s) had condition GPUIsLost");
    EXPECT_EQ(placed.decision().pod_namespace(), "team");
    EXPECT_EQ(placed.decision().top(0).name(), "good");
    EXPECT_EQ(placed.decision().decided_by(), "only one node fits");
    EXPECT_EQ(placed.lost(), 0u);
  }
}

// The client's window and gRPC's buffers fill, then the queue; kube-scheduler is never held up.
TEST_F(PlacementServiceTest, ClientThatDoesNotReadLosesTheOldestAndIsToldHowMany) {
  constexpr std::uint64_t kDecisions = 20'000;
  Start();
  const auto stub = Client();
  const auto context = NewContext();
  // Under a sanitizer these are a lot of decisions.
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(5));
  const auto stream = stub->WatchDecisions(context.get(), {});
  stream->WaitForInitialMetadata();
  // More than gRPC keeps on the way for a client that does not read, however slow the server is.
  const std::string long_name(4096, 'n');
  for (std::uint64_t i = 0; i < kDecisions; ++i) Filter({"good", "lost"}, long_name);
  std::uint64_t heard = 0;
  std::uint64_t lost = 0;
  v1::WatchDecisionsResponse response;
  while (heard + lost < kDecisions && stream->Read(&response)) {
    ++heard;
    lost += response.lost();
  }
  EXPECT_EQ(heard + lost, kDecisions);
  EXPECT_GT(lost, 0u);
}

TEST_F(PlacementServiceTest, NobodyIsToldAfterTheyLeft) {
  Start();
  const auto stub = Client();
  {
    const auto context = NewContext();
    const auto stream = stub->WatchDecisions(context.get(), {});
    stream->WaitForInitialMetadata();
    EXPECT_TRUE(decisions.Wants());
    context->TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
  }
  const auto end = std::chrono::steady_clock::now() + seconds(10);
  while (decisions.Wants() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(decisions.Wants());
}

TEST_F(PlacementServiceTest, OneWatcherTooManyIsToldSo) {
  Start();
  const auto stub = Client();
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchDecisionsResponse>>> streams;
  for (std::size_t i = 0; i <= server::BrokerLimits().max_watchers; ++i) {
    contexts.push_back(NewContext());
    streams.push_back(stub->WatchDecisions(contexts.back().get(), {}));
    streams.back()->WaitForInitialMetadata();
  }
  v1::WatchDecisionsResponse response;
  EXPECT_FALSE(streams.back()->Read(&response));
  EXPECT_EQ(streams.back()->Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  Filter({"good"});
  EXPECT_TRUE(streams.front()->Read(&response));
}

}  // namespace
}  // namespace berth::tests
