#include "server/grpc_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "tests/integration/placement_fixture.h"

// What the listener owes to every service: health, reflection, mutual TLS, limits, an orderly end.

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// grpc.health.v1.HealthCheckRequest and the status of HealthCheckResponse
// (grpc/health/v1/health.proto), as bytes.
std::string HealthOf(const std::string& service) {
  if (service.empty()) return "";
  return "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
}
const std::string kServing = "\x08\x01";
const std::string kNotServing = "\x08\x02";

class GrpcListenerTest : public PlacementTest {
 protected:
  std::string Health(const std::string& service) {
    const RawReply reply = CallRaw(channel_, "/grpc.health.v1.Health/Check", HealthOf(service));
    return reply.status.ok() ? reply.message : reply.status.error_message();
  }

  // Asks until it is so; each look is a call.
  bool AwaitHealth(const std::string& service, const std::string& status) {
    const auto end = std::chrono::steady_clock::now() + seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      if (Health(service) == status) return true;
    }
    return false;
  }

  void StartAndConnect() {
    Start();
    channel_ = Connect();
  }

  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(GrpcListenerTest, HealthFollowsReadiness) {
  StartAndConnect();
  for (const bool is_ready : {true, false, true}) {
    ready = is_ready;
    for (const std::string& service : {std::string(), std::string("berth.v1.Placement")}) {
      EXPECT_TRUE(AwaitHealth(service, is_ready ? kServing : kNotServing)) << is_ready << service;
    }
  }
}

TEST_F(GrpcListenerTest, ReflectionNamesTheService) {
  StartAndConnect();
  // list_services = "*"
  const RawReply reply = CallRaw(
      channel_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "\x3a\x01*");
  EXPECT_THAT(reply.message, HasSubstr("berth.v1.Placement"));
}

TEST_F(GrpcListenerTest, TakesOnlyClientsOfItsClientCa) {
  const PemPair pair = ca.Issue();
  directory.Write("tls.crt", pair.certificate);
  directory.Write("tls.key", pair.key);
  StartTls();
  const TestCa other("other-ca");
  const LeafOptions client{.use = LeafUse::kClient};
  LeafOptions expired = client;
  expired.valid_until = seconds(-60);
  EXPECT_TRUE(TryWith({ca.certificate(), ca.Issue(client)}).ok());
  EXPECT_TRUE(TryWith({ca.certificate(), ca.Issue(client)}).ok());  // and once more
  for (const GrpcClientTls& tls :
       {GrpcClientTls{ca.certificate(), {}}, GrpcClientTls{ca.certificate(), other.Issue(client)},
        GrpcClientTls{ca.certificate(), ca.Issue(expired)},
        GrpcClientTls{other.certificate(), ca.Issue(client)}}) {
    EXPECT_EQ(TryWith(tls).error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  v1::CapacityResponse response;
  EXPECT_FALSE(Client()->Capacity(NewContext().get(), {}, &response).ok()) << "plain text";
}

// What on_reload was told last. Thread-safe.
class LastReload {
 public:
  void Set(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    last_ = status;
    changed_.notify_all();
  }
  bool Await(bool ok) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [&] { return last_ && last_->ok() == ok; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<absl::Status> last_;
};

TEST_F(GrpcListenerTest, NewConnectionsGetNewCertificatesAndBrokenOnesChangeNothing) {
  const TestCa next("next-ca");
  const PemPair first = ca.Issue();
  directory.Write("tls.crt", first.certificate);
  directory.Write("tls.key", first.key);
  LastReload reload;
  StartTls([&](const absl::Status& status) { reload.Set(status); });
  const auto certificate = ca.Issue({.use = LeafUse::kClient});
  const GrpcClientTls trusts_first{ca.certificate(), certificate};
  const GrpcClientTls trusts_next{next.certificate(), certificate};
  EXPECT_TRUE(TryWith(trusts_first).ok());
  EXPECT_FALSE(TryWith(trusts_next).ok());

  // The new certificate without its key.
  const PemPair second = next.Issue();
  directory.Write("tls.crt", second.certificate);
  ASSERT_TRUE(reload.Await(false));
  EXPECT_TRUE(TryWith(trusts_first).ok());

  directory.Write("tls.key", second.key);
  ASSERT_TRUE(reload.Await(true));
  EXPECT_TRUE(TryWith(trusts_next).ok());
  EXPECT_FALSE(TryWith(trusts_first).ok());
}

TEST_F(GrpcListenerTest, RefusesRequestsOverItsLimit) {
  server::GrpcListenerOptions options;
  options.max_request_bytes = 1000;
  Start(std::move(options));
  v1::ExplainRequest request;
  request.set_pod(std::string(2000, ' '));
  v1::ExplainResponse response;
  const grpc::Status status = Client()->Explain(NewContext().get(), request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("1000"));
}

TEST_F(GrpcListenerTest, DrainsStreamsThatAreEnded) {
  StartAndConnect();
  const auto stub = Client();
  const auto context = NewContext();
  const auto stream = stub->WatchDecisions(context.get(), {});
  stream->WaitForInitialMetadata();
  decisions.Close();
  EXPECT_TRUE(listener->Drain(seconds(10)));
  v1::WatchDecisionsResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(
      Client()
          ->Capacity(NewContext().get(), {}, std::make_unique<v1::CapacityResponse>().get())
          .ok());
}

TEST_F(GrpcListenerTest, CutsStreamsThatAreNot) {
  StartAndConnect();
  const auto stub = Client();
  const auto context = NewContext();
  const auto stream = stub->WatchDecisions(context.get(), {});
  stream->WaitForInitialMetadata();
  EXPECT_FALSE(listener->Drain(milliseconds(50)));
  EXPECT_FALSE(stream->Finish().ok());
}

TEST(GrpcListenerStart, SaysWhyItCannot) {
  server::GrpcListenerOptions options;
  for (const char* address : {":0", "0.0.0.0:0", "10.0.0.1:0"}) {
    options.address = address;
    const absl::Status status = server::GrpcListener::Start(options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << address;
    EXPECT_THAT(std::string(status.message()), HasSubstr("needs mutual TLS"));
  }
  options.address = "nowhere";
  EXPECT_TRUE(absl::IsInvalidArgument(server::GrpcListener::Start(options).status()));
  options.address = "127.0.0.1:0";
  const auto first = server::GrpcListener::Start(options);
  ASSERT_TRUE(first.ok()) << first.status();
  options.address = "127.0.0.1:" + std::to_string((*first)->port());
  const absl::Status taken = server::GrpcListener::Start(options).status();
  EXPECT_TRUE(absl::IsUnavailable(taken));
  EXPECT_THAT(std::string(taken.message()), HasSubstr(options.address));
}

}  // namespace
}  // namespace berth::tests
