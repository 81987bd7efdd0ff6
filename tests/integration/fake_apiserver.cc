#include "tests/integration/fake_apiserver.h"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <utility>

#include "tests/integration/fake_objects.h"

namespace berth::tests {
namespace {

constexpr std::chrono::seconds kPatience{10};

template <typename Object>
std::string KeyOf(const Object& object) {
  return object.namespace_ + '/' + object.name;
}

}  // namespace

FakeApiServer::FakeApiServer(Options options)
    : options_(std::move(options)),
      client_(ca_.Issue({.use = LeafUse::kClient, .common_name = "berth", .names = {}})),
      context_(MakeFakeContext(ca_, options_.require_client_certificate)),
      token_(options_.token) {
  std::signal(SIGPIPE, SIG_IGN);
  Listen();
}

FakeApiServer::~FakeApiServer() { Pause(); }

void FakeApiServer::Listen() {
  listener_ = ListenOnLoopback(port_);
  port_ = PortOf(listener_);
  acceptor_ = std::thread([this, listener = listener_] { Accept(listener); });
}

void FakeApiServer::Pause() {
  {
    const std::lock_guard guard(mutex_);
    if (paused_) return;
    paused_ = true;
    changed_.notify_all();
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  CloseAll();
}

void FakeApiServer::Resume() {
  {
    const std::lock_guard guard(mutex_);
    paused_ = false;
  }
  Listen();
}

void FakeApiServer::CloseAll() {
  std::list<Session> sessions;
  {
    const std::lock_guard guard(mutex_);
    for (const Session& session : sessions_) session.connection->Shutdown();
    sessions.swap(sessions_);
    changed_.notify_all();
  }
  for (Session& session : sessions) session.thread.join();
}

void FakeApiServer::Accept(int listener) {
  while (true) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    ++connections_;
    const std::lock_guard guard(mutex_);
    Session& session = sessions_.emplace_back();
    session.connection = std::make_unique<FakeConnection>(socket, context_.get());
    session.thread = std::thread([this, connection = session.connection.get()] {
      Serve(*connection);
      connection->Shutdown();
    });
  }
}

void FakeApiServer::Serve(FakeConnection& connection) {
  if (options_.hang_in_handshake) Hang(connection);
  if (!connection.Handshake()) return connection.Linger();
  while (true) {
    const std::string head = connection.ReadHead();
    std::optional<FakeHttpRequest> request = ParseFakeRequest(head);
    if (!request) {
      if (!AnswerUnknown(connection, head)) return;
      continue;
    }
    request->body = connection.ReadBody(request->content_length);
    {
      const std::lock_guard guard(mutex_);
      request->bookmarks = bookmarks_;
      request->ended = ended_;
      targets_[request->kind].push_back(request->target);
      bodies_[request->kind].push_back(request->body);
      changed_.notify_all();
    }
    const int refusal = RefusalOf(connection, head);
    if (refusal != 0 && !Refuse(connection, refusal, "Unauthorized", 0)) return;
    if (refusal == 0 && !Answer(connection, *request)) return;
  }
}

void FakeApiServer::Change(const std::function<void(std::uint64_t version)>& change) {
  const std::lock_guard guard(mutex_);
  change(++version_);
  changed_.notify_all();
}

void FakeApiServer::Put(const model::Node& node) {
  Change([&](std::uint64_t version) {
    nodes_.Put(node.name, EncodeObject(node, std::to_string(version)), true, version);
  });
}

void FakeApiServer::Put(const model::Pod& pod) {
  Change([&](std::uint64_t version) {
    const std::string object = EncodeObject(pod, std::to_string(version));
    const bool bound = !pod.node_name.empty();
    pods_.Put(KeyOf(pod), object, bound && !pod.terminated, version);
    pending_.Put(KeyOf(pod), object, !bound && !pod.terminated, version);
  });
}

void FakeApiServer::Put(const model::Service& service) {
  Change([&](std::uint64_t version) {
    services_.Put(KeyOf(service), EncodeObject(service, std::to_string(version)), true, version);
  });
}

void FakeApiServer::Delete(const model::Node& node) {
  Change([&](std::uint64_t version) {
    nodes_.Delete(node.name, EncodeObject(node, std::to_string(version)), version);
  });
}

void FakeApiServer::Delete(const model::Pod& pod) {
  Change([&](std::uint64_t version) {
    pods_.Delete(KeyOf(pod), EncodeObject(pod, std::to_string(version)), version);
    pending_.Delete(KeyOf(pod), EncodeObject(pod, std::to_string(version)), version);
  });
}

void FakeApiServer::Delete(const model::Service& service) {
  Change([&](std::uint64_t version) {
    services_.Delete(KeyOf(service), EncodeObject(service, std::to_string(version)), version);
  });
}

void FakeApiServer::Compact() {
  nodes_.Compact();
  pods_.Compact();
  pending_.Compact();
  services_.Compact();
}

void FakeApiServer::Bookmark() {
  const std::lock_guard guard(mutex_);
  ++bookmarks_;
  changed_.notify_all();
}

void FakeApiServer::SetToken(const std::string& token) {
  const std::lock_guard guard(mutex_);
  token_ = token;
}

PemPair FakeApiServer::IssueClient(const std::string& common_name,
                                   std::chrono::seconds valid_until) const {
  return ca_.Issue({.use = LeafUse::kClient,
                    .common_name = common_name,
                    .names = {},
                    .valid_until = valid_until});
}

void FakeApiServer::AdmitOnly(const std::string& common_name, int refusal) {
  const std::lock_guard guard(mutex_);
  admitted_ = common_name;
  refusal_ = refusal;
}

void FakeApiServer::PutBytes(
    FakeRequest list, const std::string& key,
    const std::function<std::string(const std::string& resource_version)>& encode) {
  Change([&](std::uint64_t version) {
    StoreOf(list).Put(key, encode(std::to_string(version)), true, version);
  });
}

void FakeApiServer::Fail(FakeRequest request, FakeFault fault, int skip) {
  const std::lock_guard guard(mutex_);
  for (; skip > 0; --skip) faults_[request].push_back(std::nullopt);
  faults_[request].push_back(std::move(fault));
}

void FakeApiServer::FailAlways(FakeRequest request, FakeFault fault) {
  const std::lock_guard guard(mutex_);
  standing_faults_.insert_or_assign(request, std::move(fault));
}

void FakeApiServer::FailNoMore() {
  const std::lock_guard guard(mutex_);
  standing_faults_.clear();
  faults_.clear();
}

void FakeApiServer::EndWatches() {
  const std::lock_guard guard(mutex_);
  ++ended_;
  changed_.notify_all();
}

void FakeApiServer::DropConnections() {
  const std::lock_guard guard(mutex_);
  for (const Session& session : sessions_) session.connection->Shutdown();
}

int FakeApiServer::Count(FakeRequest request) const {
  return static_cast<int>(Targets(request).size());
}

std::vector<std::string> FakeApiServer::Targets(FakeRequest request) const {
  const std::lock_guard guard(mutex_);
  const auto found = targets_.find(request);
  return found == targets_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> FakeApiServer::Bodies(FakeRequest request) const {
  const std::lock_guard guard(mutex_);
  const auto found = bodies_.find(request);
  return found == bodies_.end() ? std::vector<std::string>() : found->second;
}

bool FakeApiServer::AwaitCount(FakeRequest request, int count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] {
    const auto found = targets_.find(request);
    return found != targets_.end() && static_cast<int>(found->second.size()) >= count;
  });
}

std::vector<std::string> FakeApiServer::Unknown() const {
  const std::lock_guard guard(mutex_);
  return unknown_;
}

kube::ApiConfig FakeApiServer::Config() const {
  kube::ApiConfig config;
  config.host = "127.0.0.1";
  config.port = std::to_string(port_);
  config.certificate_authority = kube::TextSource::Text(ca_.certificate());
  if (options_.require_client_certificate) {
    config.client_certificate = kube::TextSource::Text(client_.certificate);
    config.client_key = kube::TextSource::Text(client_.key);
  }
  config.token = kube::TextSource::Text(options_.token);
  return config;
}

std::string FakeApiServer::WriteKubeconfig(const TempDir& folder) const {
  folder.Write("ca.crt", ca_.certificate());
  folder.Write("client.crt", client_.certificate);
  folder.Write("client.key", client_.key);
  std::string user = options_.token.empty() ? "" : "token: " + options_.token;
  if (options_.require_client_certificate) {
    user += (user.empty() ? "" : ", ");
    user += "client-certificate: client.crt, client-key: client.key";
  }
  return folder.Write("kubeconfig",
                      "apiVersion: v1\nkind: Config\ncurrent-context: fake\n"
                      "contexts: [{name: fake, context: {cluster: fake, user: fake}}]\n"
                      "clusters: [{name: fake, cluster: {server: 'https://127.0.0.1:" +
                          std::to_string(port_) +
                          "', certificate-authority: ca.crt}}]\n"
                          "users: [{name: fake, user: {" +
                          user + "}}]\n");
}

}  // namespace berth::tests
