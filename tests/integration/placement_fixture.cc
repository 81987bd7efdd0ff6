#include "tests/integration/placement_fixture.h"

#include <grpcpp/generic/generic_stub.h>

#include <utility>

namespace berth::tests {

namespace {

using policies::scheduling::GpuNode;

constexpr std::chrono::seconds kPatience{10};

std::vector<model::NodeState> Nodes() {
  return {GpuNode("good", "Tesla-V100-SXM2-32GB"), GpuNode("a100", "NVIDIA-A100-SXM4-40GB", 4),
          extender::WithCondition(GpuNode("lost", "Tesla-V100-SXM2-32GB"), "GPUIsLost",
                                  model::ConditionStatus::kTrue)};
}

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string ToBytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

std::shared_ptr<grpc::Channel> ConnectTo(std::uint16_t port,
                                         const std::optional<GrpcClientTls>& tls) {
  auto credentials = grpc::InsecureChannelCredentials();
  if (tls) {
    grpc::SslCredentialsOptions pem;
    pem.pem_root_certs = tls->ca;
    if (tls->certificate) {
      pem.pem_cert_chain = tls->certificate->certificate;
      pem.pem_private_key = tls->certificate->key;
    }
    credentials = grpc::SslCredentials(pem);
  }
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), credentials, arguments);
}

PlacementTest::PlacementTest() : berth(Nodes()) {}

PlacementTest::~PlacementTest() { decisions.Close(); }

void PlacementTest::Start(server::GrpcListenerOptions options) {
  options.services = {
      placement::MakePlacementService({.placer = [this] { return berth.placer; },
                                       .decisions = decisions,
                                       .now = [] { return policies::scheduling::kNow; }})};
  options.names = {placement::kPlacementService};
  options.not_ready = [this] {
    return ready ? std::vector<std::string>() : std::vector<std::string>{"told so"};
  };
  options.readiness_interval = std::chrono::milliseconds(5);
  auto started = server::GrpcListener::Start(std::move(options));
  ASSERT_TRUE(started.ok()) << started.status();
  listener = *std::move(started);
}

void PlacementTest::StartTls(std::function<void(const absl::Status&)> on_reload) {
  server::TlsCertificatesOptions watched;
  watched.files.certificate = directory.path() / "tls.crt";
  watched.files.key = directory.path() / "tls.key";
  watched.files.client_ca = directory.Write("ca.crt", ca.certificate());
  watched.watch = {.recheck = std::chrono::hours(1), .settle = std::chrono::milliseconds(20)};
  watched.on_reload = std::move(on_reload);
  auto opened = server::TlsCertificates::Open(std::move(watched));
  ASSERT_TRUE(opened.ok()) << opened.status();
  server::GrpcListenerOptions options;
  options.tls = *std::move(opened);
  Start(std::move(options));
}

grpc::Status PlacementTest::TryWith(const GrpcClientTls& tls) const {
  v1::CapacityResponse response;
  return Client(tls)->Capacity(NewContext().get(), {}, &response);
}

RawReply PlacementTest::CallRaw(const std::shared_ptr<grpc::Channel>& channel,
                                const std::string& method, const std::string& message) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  const auto context = NewContext();
  const auto await = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(context.get(), method, &queue);
  RawReply reply;
  grpc::ByteBuffer received;
  call->StartCall(nullptr);
  if (await()) {
    call->WriteLast(ToBuffer(message), {}, nullptr);
    await();
    call->Read(&received, nullptr);
    if (await()) reply.message = ToBytes(received);
  }
  call->Finish(&reply.status, nullptr);
  await();
  return reply;
}

std::unique_ptr<grpc::ClientContext> NewContext() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + kPatience);
  return context;
}

}  // namespace berth::tests
