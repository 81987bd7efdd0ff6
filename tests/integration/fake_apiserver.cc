#include "tests/integration/fake_apiserver.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <utility>

#include "tests/integration/fake_objects.h"

namespace berth::testing {
namespace {

constexpr std::chrono::seconds kPatience{10};

template <typename Object>
std::string KeyOf(const Object& object) {
  return object.namespace_ + '/' + object.name;
}

std::string Head(int code, const std::string& type, const std::string& more) {
  return "HTTP/1.1 " + std::to_string(code) + " Text\r\nContent-Type: " + type + "\r\n" + more +
         "\r\n";
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

// 0: the client is let in.
int FakeApiServer::RefusalOf(const FakeConnection& connection, const std::string& head) const {
  const std::lock_guard guard(mutex_);
  if (!admitted_.empty() && connection.ClientName() != admitted_) return refusal_;
  const bool known =
      token_.empty() || head.find("Authorization: Bearer " + token_ + "\r\n") != std::string::npos;
  return known ? 0 : 401;
}

std::optional<FakeFault> FakeApiServer::NextFault(const FakeHttpRequest& request) {
  const std::lock_guard guard(mutex_);
  const auto standing = standing_faults_.find(request.kind);
  if (standing != standing_faults_.end()) return standing->second;
  auto& faults = faults_[request.kind];
  if (faults.empty()) return std::nullopt;
  const std::optional<FakeFault> fault = faults.front();
  faults.pop_front();
  return fault;
}

bool FakeApiServer::Answer(FakeConnection& connection, const FakeHttpRequest& request) {
  const std::optional<FakeFault> fault = NextFault(request);
  using Kind = FakeFault::Kind;
  if (fault && fault->kind == Kind::kSilence) return Hang(connection);
  if (fault && fault->kind == Kind::kStatus) {
    const bool json = !IsList(request.kind) && !IsWatch(request.kind);
    if (json) return WriteJson(connection, fault->code, fault->reason);
    return Refuse(connection, fault->code, fault->reason, fault->retry_after_seconds);
  }
  if (fault && fault->kind == Kind::kWrongType) {
    return connection.Write(Head(200, "text/html", "Content-Length: 4\r\n") + "<p/>");
  }
  if (IsWatch(request.kind)) return AnswerWatch(connection, request, fault);
  if (IsList(request.kind)) return AnswerList(connection, request, fault);
  if (!fault) return AnswerObject(connection, request);
  // It is carried out, and the client never hears of it.
  if (request.kind == FakeRequest::kUpdateLease) leases_.Update(request.key, request.body);
  return false;
}

bool FakeApiServer::AnswerObject(FakeConnection& connection, const FakeHttpRequest& request) {
  FakeLeases::Reply reply;
  switch (request.kind) {
    case FakeRequest::kGetLease:
      reply = leases_.Get(request.key);
      break;
    case FakeRequest::kCreateLease:
      reply = leases_.Create(request.key, request.body);
      break;
    case FakeRequest::kUpdateLease:
      reply = leases_.Update(request.key, request.body);
      break;
    case FakeRequest::kGetObject:
      reply = objects_.Get(request.key);
      break;
    case FakeRequest::kCreateObject:
      reply = objects_.Create(request.key, request.body);
      break;
    case FakeRequest::kUpdateObject:
      reply = objects_.Update(request.key, request.body);
      break;
    case FakeRequest::kPatchObject:
      reply = objects_.Patch(request.key, request.body);
      break;
    default:
      return AnswerPatch(connection, request);
  }
  return WriteJson(connection, reply.code, reply.body);
}

bool FakeApiServer::AnswerPatch(FakeConnection& connection, const FakeHttpRequest& request) {
  const bool node = request.kind == FakeRequest::kPatchNode;
  bool found = false;
  for (FakeStore* store : {&nodes_, &pods_, &pending_}) {
    if (node != (store == &nodes_)) continue;
    Change([&](std::uint64_t version) {
      const std::optional<std::string> object = store->Find(request.key);
      if (!object) return;
      found = true;
      const auto patch = node ? PatchNode : PatchPod;
      store->Put(request.key, patch(*object, request.body, std::to_string(version)), true, version);
    });
  }
  return WriteJson(connection, found ? 200 : 404, found ? "{}" : "NotFound");
}

// Only what comes without a body can be refused and the connection be gone on with.
bool FakeApiServer::AnswerUnknown(FakeConnection& connection, const std::string& head) {
  {
    const std::lock_guard guard(mutex_);
    if (!head.empty()) unknown_.push_back(head.substr(0, head.find('\r')));
  }
  return head.starts_with("GET ") && WriteJson(connection, 404, "NotFound");
}

bool FakeApiServer::WriteJson(FakeConnection& connection, int code, const std::string& body) {
  const std::string text =
      code < 300 ? body : R"({"kind":"Status","reason":")" + body + R"(","message":"refused"})";
  return connection.Write(
      Head(code, "application/json", "Content-Length: " + std::to_string(text.size()) + "\r\n") +
      text);
}

bool FakeApiServer::Refuse(FakeConnection& connection, int code, const std::string& reason,
                           int retry_after) {
  const std::string body = EncodeStatus(code, reason, 0);
  std::string more = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (retry_after > 0) more += "Retry-After: " + std::to_string(retry_after) + "\r\n";
  return connection.Write(Head(code, "application/vnd.kubernetes.protobuf", more) + body);
}

FakeStore& FakeApiServer::StoreOf(FakeRequest request) {
  if (IsPending(request)) return pending_;
  const std::string kind = KindOf(request);
  if (kind == "Service") return services_;
  return kind == "Pod" ? pods_ : nodes_;
}

// A continue token is "<version>/<first key>".
bool FakeApiServer::AnswerList(FakeConnection& connection, const FakeHttpRequest& request,
                               const std::optional<FakeFault>& fault) {
  const std::string token = request.Get("continue");
  const std::size_t slash = token.find('/');
  const std::string first_key = token.empty() ? "" : token.substr(slash + 1);
  const FakeStore& store = StoreOf(request.kind);
  const FakeStore::Page page = store.List(first_key, std::stoul(request.Get("limit")));
  const std::uint64_t version = token.empty() ? page.version : std::stoull(token.substr(0, slash));
  if (!token.empty() && !store.Remembers(version)) return Refuse(connection, 410, "Expired", 0);
  const std::string next =
      page.next_key.empty() ? "" : std::to_string(version) + '/' + page.next_key;
  std::string body =
      EncodeList(KindOf(request.kind) + "List", page.objects, std::to_string(version), next);
  using Kind = FakeFault::Kind;
  if (fault && fault->kind == Kind::kGarbage) body.replace(4, body.size() - 4, "\xff\xff\xff");
  const std::string head =
      Head(200, "application/vnd.kubernetes.protobuf",
           options_.split_bytes ? "Transfer-Encoding: chunked\r\n"
                                : "Content-Length: " + std::to_string(body.size()) + "\r\n");
  if (!connection.Write(head)) return false;
  if (fault && fault->kind == Kind::kSilentBody) return Hang(connection);
  if (fault && fault->kind == Kind::kCut) {
    connection.Write(body.substr(0, body.size() / 2));
    return false;
  }
  if (!options_.split_bytes) return connection.Write(body);
  return WriteBody(connection, body) && connection.WriteChunk("");
}

bool FakeApiServer::WriteBody(FakeConnection& connection, const std::string& bytes) {
  if (!options_.split_bytes) return connection.WriteChunk(bytes);
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](char byte) { return connection.WriteChunk(std::string_view(&byte, 1)); });
}

bool FakeApiServer::AnswerWatch(FakeConnection& connection, const FakeHttpRequest& request,
                                const std::optional<FakeFault>& fault) {
  const bool lists = request.Get("sendInitialEvents") == "true";
  if (lists && !options_.watch_list) return Refuse(connection, 422, "Invalid", 0);
  const std::uint64_t version = lists ? 0 : std::stoull(request.Get("resourceVersion"));
  if (!lists && !StoreOf(request.kind).Remembers(version)) {
    return Refuse(connection, 410, "Expired", 0);
  }
  if (!connection.Write(Head(200, "application/vnd.kubernetes.protobuf;stream=watch",
                             "Transfer-Encoding: chunked\r\n"))) {
    return false;
  }
  using Kind = FakeFault::Kind;
  const Kind kind = fault ? fault->kind : Kind::kStatus;
  if (lists && (!fault || kind == Kind::kCut)) {
    return AnswerWatchList(connection, request, fault.has_value());
  }
  if (!fault || kind == Kind::kCut) return FollowEvents(connection, request, fault.has_value());
  if (kind == Kind::kSilentBody) return Hang(connection);
  if (kind == Kind::kGarbage) WriteBody(connection, std::string("\0\0\0\3\xff\xff\xff", 7));
  if (kind == Kind::kErrorEvent) {
    const std::string status = EncodeStatus(fault->code, fault->reason, fault->retry_after_seconds);
    WriteBody(connection, EncodeFrame("ERROR", status));
  }
  return connection.WriteChunk("");
}

bool FakeApiServer::AnswerWatchList(FakeConnection& connection, FakeHttpRequest request, bool cut) {
  const FakeStore::Page all = StoreOf(request.kind).List("", SIZE_MAX);
  std::vector<FakeEvent> events;
  for (const std::string& object : all.objects) events.push_back({all.version, "ADDED", object});
  if (!WriteFrames(connection, request, events, cut)) return false;
  const std::string end = EncodeBookmark(std::to_string(all.version), true);
  if (!WriteBody(connection, EncodeFrame("BOOKMARK", Envelope(KindOf(request.kind), end)))) {
    return false;
  }
  request.query["resourceVersion"] = std::to_string(all.version);
  return FollowEvents(connection, request, false);
}

bool FakeApiServer::FollowEvents(FakeConnection& connection, const FakeHttpRequest& request,
                                 bool cut) {
  std::uint64_t told = std::stoull(request.Get("resourceVersion"));
  std::unique_lock lock(mutex_);
  std::uint64_t bookmarks = request.bookmarks;
  while (!paused_ && !connection.ClientGone()) {
    // All that has happened up to `now` is told in this round.
    const std::uint64_t now = version_;
    const bool bookmark = std::exchange(bookmarks, bookmarks_) != bookmarks_;
    const auto events = StoreOf(request.kind).EventsAfter(told);
    if (events && events->empty() && !bookmark) {
      if (ended_ != request.ended) break;  // not before everything is told
      // Bounded, to notice clients that have gone.
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      continue;
    }
    lock.unlock();
    if (!events) WriteBody(connection, EncodeFrame("ERROR", EncodeStatus(410, "Expired", 0)));
    if (!events) return connection.WriteChunk("");
    if (!WriteFrames(connection, request, *events, cut)) return false;
    if (bookmark && !WriteBookmark(connection, request, now)) return false;
    if (bookmark || !events->empty()) told = now;
    lock.lock();
  }
  lock.unlock();
  return connection.WriteChunk("");
}

bool FakeApiServer::WriteBookmark(FakeConnection& connection, const FakeHttpRequest& request,
                                  std::uint64_t version) {
  const std::string mark = EncodeBookmark(std::to_string(version), false);
  return WriteBody(connection, EncodeFrame("BOOKMARK", Envelope(KindOf(request.kind), mark)));
}

bool FakeApiServer::WriteFrames(FakeConnection& connection, const FakeHttpRequest& request,
                                const std::vector<FakeEvent>& events, bool cut) {
  for (const FakeEvent& event : events) {
    const std::string frame = EncodeFrame(event.type, Envelope(KindOf(request.kind), event.object));
    if (cut) {
      WriteBody(connection, frame.substr(0, frame.size() / 2));
      return false;
    }
    if (!WriteBody(connection, frame)) return false;
  }
  return true;
}

bool FakeApiServer::Hang(FakeConnection& connection) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ended = ended_;
  while (!paused_ && ended_ == ended && !connection.ClientGone()) {
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
  return false;
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

}  // namespace berth::testing
