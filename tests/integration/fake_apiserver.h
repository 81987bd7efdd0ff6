#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kube/api_config.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"
#include "tests/integration/fake_connection.h"
#include "tests/integration/fake_leases.h"
#include "tests/integration/fake_request.h"
#include "tests/integration/fake_store.h"
#include "tests/integration/test_pki.h"

namespace berth::tests {

/// What goes wrong with one request.
struct FakeFault {
  enum class Kind {
    kStatus,      // the reply has `code`
    kErrorEvent,  // a watch begins and tells `code` by an ERROR event
    kSilence,     // no reply at all
    kSilentBody,  // the head of a reply, then nothing
    kCut,         // the connection ends within the page, or within the watch's next frame
    kGarbage,     // the body, or the watch's first frame, is not protobuf
    kWrongType,   // text/html with status 200
    kEnd,         // a watch ends in good order before its first event
  };
  Kind kind = Kind::kStatus;
  int code = 500;
  std::string reason = "InternalError";
  /// Told in the header and in the Status; 0: not told.
  int retry_after_seconds = 0;
};

/// A Kubernetes API server of nodes, pods, Services, leases and objects by name, over TLS on a free
/// port of loopback: lists in pages and watches with history, in protobuf, merge patches of labels
/// and annotations, leases in JSON, each connection on a thread of its own; and whatever can go
/// wrong with them. Thread-safe.
class FakeApiServer {
 public:
  struct Options {
    /// Clients must show a certificate of the same CA.
    bool require_client_certificate = false;
    /// Clients must send this bearer token; empty: none needed.
    std::string token;
    /// Every byte of a body goes out as a chunk and a TLS record of its own.
    bool split_bytes = false;
    /// Whether watches may begin with the list; else that is refused as by servers without the
    /// feature WatchList.
    bool watch_list = true;
    /// Connections are taken but TLS never begins.
    bool hang_in_handshake = false;
  };

  FakeApiServer() : FakeApiServer(Options{}) {}
  explicit FakeApiServer(Options options);
  ~FakeApiServer();

  /// How to reach it, with a client certificate where one is required, and the token.
  kube::ApiConfig Config() const;

  /// The same as a kubeconfig file in `folder`; its path.
  std::string WriteKubeconfig(const TempDir& folder) const;

  std::uint16_t port() const { return port_; }

  /// A client certificate of the same CA.
  PemPair IssueClient(const std::string& common_name, std::chrono::seconds valid_until) const;

  /// From now on clients whose certificate has another name are refused with that status.
  void AdmitOnly(const std::string& common_name, int refusal);

  /// The object of `key` ("n1", "ml/p1") is there from now on as these bytes, which may be
  /// anything; `list` names its kind.
  void PutBytes(FakeRequest list, const std::string& key,
                const std::function<std::string(const std::string& resource_version)>& encode);

  /// Changes what is there; running watches tell it.
  void Put(const model::Node& node);
  void Put(const model::Pod& pod);
  void Put(const model::Service& service);
  void Delete(const model::Node& node);
  void Delete(const model::Pod& pod);
  void Delete(const model::Service& service);

  /// Forgets the history: older resource versions and continue tokens are answered with 410.
  void Compact();

  /// Running watches tell a bookmark.
  void Bookmark();

  /// The token asked for from now on.
  void SetToken(const std::string& token);

  /// The next request of that kind, after `skip` ordinary ones, goes wrong.
  void Fail(FakeRequest request, FakeFault fault, int skip = 0);

  /// All requests of that kind go wrong until FailNoMore().
  void FailAlways(FakeRequest request, FakeFault fault);
  void FailNoMore();

  /// Running watches end: in good order, or with their connection.
  void EndWatches();
  void DropConnections();

  /// The server is away, as when it restarts: connections end, new ones are refused. Resume()
  /// serves the same objects on the same port.
  void Pause();
  void Resume();

  /// Requests of that kind so far, and connections.
  int Count(FakeRequest request) const;
  int connections() const { return connections_; }

  /// Waits until that many requests of the kind have come; false after 10 s.
  bool AwaitCount(FakeRequest request, int count) const;

  /// Targets, or bodies, of all requests of that kind.
  std::vector<std::string> Targets(FakeRequest request) const;
  std::vector<std::string> Bodies(FakeRequest request) const;

  FakeLeases& leases() { return leases_; }

  /// Secrets, ConfigMaps, Services and webhook configurations, by their paths.
  FakeLeases& objects() { return objects_; }

  /// The first lines of requests that it does not know.
  std::vector<std::string> Unknown() const;

 private:
  struct Session {
    std::unique_ptr<FakeConnection> connection;
    std::thread thread;
  };

  void Listen();
  void Accept(int listener);
  void Serve(FakeConnection& connection);
  bool Answer(FakeConnection& connection, const FakeHttpRequest& request);
  bool AnswerUnknown(FakeConnection& connection, const std::string& head);
  bool AnswerList(FakeConnection& connection, const FakeHttpRequest& request,
                  const std::optional<FakeFault>& fault);
  bool AnswerObject(FakeConnection& connection, const FakeHttpRequest& request);
  bool AnswerPatch(FakeConnection& connection, const FakeHttpRequest& request);
  bool WriteJson(FakeConnection& connection, int code, const std::string& body);
  bool AnswerWatch(FakeConnection& connection, const FakeHttpRequest& request,
                   const std::optional<FakeFault>& fault);
  bool AnswerWatchList(FakeConnection& connection, FakeHttpRequest request, bool cut);
  bool FollowEvents(FakeConnection& connection, const FakeHttpRequest& request, bool cut);
  bool WriteBookmark(FakeConnection& connection, const FakeHttpRequest& request,
                     std::uint64_t version);
  bool WriteFrames(FakeConnection& connection, const FakeHttpRequest& request,
                   const std::vector<FakeEvent>& events, bool cut);
  bool WriteBody(FakeConnection& connection, const std::string& bytes);
  bool Refuse(FakeConnection& connection, int code, const std::string& reason, int retry_after);
  bool Hang(FakeConnection& connection);
  std::optional<FakeFault> NextFault(const FakeHttpRequest& request);
  int RefusalOf(const FakeConnection& connection, const std::string& head) const;
  FakeStore& StoreOf(FakeRequest request);
  void Change(const std::function<void(std::uint64_t version)>& change);
  void CloseAll();

  const Options options_;
  const TestCa ca_;
  const PemPair client_;
  std::shared_ptr<SSL_CTX> context_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::thread acceptor_;
  FakeStore nodes_;
  FakeStore pods_;
  FakeStore pending_;
  FakeStore services_;
  FakeLeases leases_;
  FakeLeases objects_;
  std::atomic<int> connections_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t version_ = 1;
  std::uint64_t bookmarks_ = 0;
  std::uint64_t ended_ = 0;
  bool paused_ = false;
  std::string token_;
  std::string admitted_;  // empty: every certificate
  int refusal_ = 401;
  std::map<FakeRequest, std::deque<std::optional<FakeFault>>> faults_;
  std::map<FakeRequest, FakeFault> standing_faults_;
  std::map<FakeRequest, std::vector<std::string>> targets_;
  std::map<FakeRequest, std::vector<std::string>> bodies_;
  std::vector<std::string> unknown_;
  std::list<Session> sessions_;
};

}  // namespace berth::tests
