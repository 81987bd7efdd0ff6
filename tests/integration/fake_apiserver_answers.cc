// What the API server for tests answers to a request; fake_apiserver.cc has the rest of it.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tests/integration/fake_apiserver.h"
#include "tests/integration/fake_objects.h"

namespace berth::tests {
namespace {

std::string Head(int code, const std::string& type, const std::string& more) {
  return "HTTP/1.1 " + std::to_string(code) + " Text\r\nContent-Type: " + type + "\r\n" + more +
         "\r\n";
}

}  // namespace

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

}  // namespace berth::tests
