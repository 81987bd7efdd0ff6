#include "board/board.h"

#include <absl/strings/numbers.h>
#include <absl/strings/strip.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "board/access.h"
#include "board/details.h"
#include "board/devices.h"
#include "board/feed.h"
#include "board/history.h"
#include "board/json_text.h"
#include "board/page.h"
#include "board/picture.h"
#include "board/query.h"
#include "board/shared_pods.h"
#include "cluster/snapshot.h"
#include "placement/explanation.h"
#include "server/health.h"
#include "server/listener.h"
#include "server/listener_log.h"

namespace berth::board {

namespace {

using server::HttpRequest;
using server::HttpResponse;
using Json = nlohmann::json;

// The picture changes at most this often, however busy the cluster is.
constexpr std::chrono::milliseconds kPause{250};
// Time alone changes it, too: a condition may have become too old.
constexpr std::chrono::seconds kLook{5};

constexpr std::size_t kMostBars = 500;
// About 100 KiB, which a browser reads within a frame.
constexpr std::size_t kNodesInEvent = 750;
constexpr std::chrono::seconds kDrain{2};
constexpr std::size_t kProbeConnections = 64;

std::vector<std::string> LabelsOf(const planner::PlannerConfig& config) {
  std::vector<std::string> labels;
  for (const planner::TopologyLevel& level : config.topology) labels.push_back(level.label);
  return labels;
}

HttpResponse JsonReply(std::string body) { return Guarded({.body = std::move(body)}); }

HttpResponse NotThere(std::string sentence) {
  return Guarded({.status = 404,
                  .content_type = "text/plain; charset=utf-8",
                  .body = std::move(sentence) + "\n"});
}

std::vector<PodTable::Entry> Copies(const PodTable::Entries& entries) {
  std::vector<PodTable::Entry> copies;
  copies.reserve(entries.size());
  for (const auto& [key, entry] : entries) copies.push_back(*entry);
  return copies;
}

// Up to where a client knows the board. A board that was started anew has another epoch.
struct Position {
  std::string epoch;
  std::uint64_t revision = 0;
};

std::string ToText(const Position& position) {
  return fmt::format("{}-{}", position.epoch, position.revision);
}

// From Last-Event-ID, which knows better, or else from the query.
Position PositionOf(const HttpRequest& request) {
  std::string text(request.field("Last-Event-ID"));
  if (text.empty()) text = ParameterOf(request.target, "after");
  const std::size_t dash = text.find('-');
  Position position;
  if (dash == std::string::npos) return position;
  position.epoch = text.substr(0, dash);
  if (!absl::SimpleAtoi(text.substr(dash + 1), &position.revision)) position.revision = 0;
  return position;
}

}  // namespace

class Board::Impl {
 public:
  explicit Impl(BoardOptions options)
      : options_(std::move(options)),
        epoch_(MakeToken().substr(0, 16)),
        names_(options_.engine->prefix()),
        snapshot_({.catalog = options_.catalog, .labels = LabelsOf(options_.planner)}),
        pods_(options_.catalog, options_.engine->prefix()),
        picture_(*options_.engine, LabelsOf(options_.planner)),
        feed_({.api = options_.api,
               .namespace_name = options_.namespace_name,
               .seed = std::random_device()(),
               .now = options_.now},
              &snapshot_, &pods_) {}

  ~Impl() {
    if (listener_) listener_->Drain(kDrain);
    listener_.reset();
    probes_.reset();
    pods_.Stop();
    feed_.Stop();
    if (painter_.joinable()) painter_.join();
  }

  absl::Status Start() {
    auto listener = server::Listener::Start(
        {.address = fmt::format("127.0.0.1:{}", options_.port), .threads = 4}, Routes());
    if (!listener.ok()) return listener.status();
    listener_ = *std::move(listener);
    const absl::Status probes = StartProbes();
    if (!probes.ok()) return probes;
    access_ = std::make_unique<Access>(MakeToken(), listener_->port());
    serves_ = true;
    feed_.Start();
    painter_ = std::thread([this] { Paint(); });
    return absl::OkStatus();
  }

  std::string Url() const { return access_->Url(); }

 private:
  /// What one client is sent: what has changed since it was last sent something, and signs of life.
  class Events final : public server::BodySource {
   public:
    Events(Impl& board, Position after) : board_(board), after_(std::move(after)) {}
    ~Events() override {
      const std::lock_guard lock(board_.clients_mutex_);
      board_.clients_.erase(this);
    }

    void Start(std::function<void()> wake) override {
      wake_ = std::move(wake);
      const std::lock_guard lock(board_.clients_mutex_);
      board_.clients_.insert(this);
    }

    std::optional<std::string> Next() override { return board_.NextEvent(*this); }

    void Wake() const { wake_(); }

    Position& after() { return after_; }
    /// Events that were put together and not sent yet, and when something was sent last. Used by
    /// Next() alone.
    std::deque<std::string> parts;
    std::chrono::steady_clock::time_point told{};

   private:
    Impl& board_;
    Position after_;
    std::function<void()> wake_;
  };

  absl::Status StartProbes() {
    if (options_.probes.empty()) return absl::OkStatus();
    server::ListenerOptions options{.address = options_.probes, .threads = 1};
    options.limits.connections = kProbeConnections;
    auto probes = server::Listener::Start(std::move(options),
                                          server::ProbeRoutes([this] { return NotReady(); }));
    if (!probes.ok()) return probes.status();
    probes_ = *std::move(probes);
    server::LogListening("probes", options_.probes, probes_->port());
    return absl::OkStatus();
  }

  std::vector<std::string> NotReady() const {
    if (snapshot_.Synced()) return {};
    return {"snapshot: nodes and pods are not listed yet"};
  }

  std::vector<server::Route> Routes() {
    std::vector<server::Route> routes;
    for (const PageFile& file : PageFiles()) {
      routes.push_back(
          {.method = "GET",
           .path = std::string(file.path),
           .handle = [this, file](const HttpRequest& request) { return Page(file, request); }});
    }
    const auto add = [&](const char* path, HttpResponse (Impl::*answer)(const HttpRequest&)) {
      routes.push_back(
          {.method = "GET", .path = path, .handle = [this, answer](const auto& request) {
             return Data(request, answer);
           }});
    };
    add("/api/state", &Impl::State);
    add("/api/events", &Impl::EventStream);
    add("/api/history", &Impl::HistoryOf);
    add("/api/node", &Impl::Node);
    add("/api/pod", &Impl::Pod);
    add("/api/search", &Impl::Search);
    return routes;
  }

  HttpResponse Page(const PageFile& file, const HttpRequest& request) {
    if (!serves_) return NotThere("the board is starting");
    if (auto refusal = access_->RefusePage(request)) return *refusal;
    return Guarded(
        {.content_type = std::string(file.content_type), .body = std::string(file.content)});
  }

  HttpResponse Data(const HttpRequest& request, HttpResponse (Impl::*answer)(const HttpRequest&)) {
    if (!serves_) return NotThere("the board is starting");
    if (auto refusal = access_->RefuseData(request)) return *refusal;
    return (this->*answer)(request);
  }

  HttpResponse State(const HttpRequest& /*request*/) {
    const std::lock_guard lock(picture_mutex_);
    return JsonReply(Message(picture_.Encode(0, picture_.node_slots()).front()));
  }

  HttpResponse EventStream(const HttpRequest& request) {
    HttpResponse response{.content_type = "text/event-stream"};
    response.source = std::make_shared<Events>(*this, PositionOf(request));
    return Guarded(std::move(response));
  }

  HttpResponse HistoryOf(const HttpRequest& request) {
    const auto span = static_cast<std::int64_t>(
        std::clamp<std::uint64_t>(NumberOf(request.target, "seconds"), 60, History::kSpan.count()));
    const std::size_t bars =
        std::clamp<std::size_t>(NumberOf(request.target, "bars"), 1, kMostBars);
    const std::lock_guard lock(picture_mutex_);
    return JsonReply(history_.Encode(options_.now(), model::Duration(span), bars));
  }

  HttpResponse Search(const HttpRequest& request) {
    const std::string text = ParameterOf(request.target, "text");
    const std::string owner = ParameterOf(request.target, "owner");
    return JsonReply(pods_.With([&](PodTable& table) {
      return owner.empty() ? FoundPods(table, text) : PodsOfOwner(table, owner);
    }));
  }

  HttpResponse Node(const HttpRequest& request) {
    const std::string name = ParameterOf(request.target, "name");
    const auto row = RowOf(name);
    if (!row) return NotThere(fmt::format("there is no node {} any more", name));
    std::vector<PodTable::Entry> bound;
    std::vector<PodTable::Entry> planned;
    std::optional<PodTable::Entry> pod;
    pods_.With([&](PodTable& table) {
      bound = Copies(table.On(name, /*planned=*/false));
      planned = Copies(table.On(name, /*planned=*/true));
      const auto* entry =
          table.Find(ParameterOf(request.target, "namespace"), ParameterOf(request.target, "pod"));
      if (entry != nullptr) pod = *entry;
      return 0;
    });
    std::string judged_for;
    const model::Pod judged = pod ? pod->pod : PodForOne(name);
    if (pod) {
      judged_for = fmt::format("pod {}/{}", pod->pod.namespace_, pod->pod.name);
    } else if (judged.requests.begin() != judged.requests.end()) {
      judged_for = fmt::format("a pod that asks for one {}", judged.requests.begin()->first);
    }
    return JsonReply(NodeDetails(*row, ConditionsOf(name), bound, planned, Explained(judged),
                                 judged_for, names_));
  }

  HttpResponse Pod(const HttpRequest& request) {
    const std::string namespace_name = ParameterOf(request.target, "namespace");
    const std::string name = ParameterOf(request.target, "name");
    const auto entry = pods_.With([&](PodTable& table) {
      const auto* found = table.Find(namespace_name, name);
      return found == nullptr ? std::nullopt : std::optional(*found);
    });
    if (!entry) {
      return NotThere(
          fmt::format("pod {}/{} neither waits nor holds devices any more", namespace_name, name));
    }
    return JsonReply(PodDetails(*entry, Explained(entry->pod), names_));
  }

  std::optional<NodeRow> RowOf(const std::string& name) {
    const std::lock_guard lock(picture_mutex_);
    const NodeRow* row = picture_.Find(name);
    return row == nullptr ? std::nullopt : std::optional(*row);
  }

  // As the API server has them. None if the node is gone.
  std::vector<model::Condition> ConditionsOf(const std::string& node) {
    const cluster::Snapshot::Reader view = snapshot_.Read();
    const auto index = view.Find(node);
    return index ? view.At(*index)->node.conditions : std::vector<model::Condition>();
  }

  // A pod that asks for one device of the node; for no device if the node has none.
  model::Pod PodForOne(const std::string& node) {
    model::Pod pod;
    const cluster::Snapshot::Reader view = snapshot_.Read();
    const auto index = view.Find(node);
    if (!index) return pod;
    const model::AcceleratorSpec* spec = SpecOf(*view.At(*index), *options_.catalog);
    if (spec != nullptr) pod.requests.Set(spec->resource, 1);
    return pod;
  }

  placement::Explanation Explained(const model::Pod& pod) {
    placement::Explanation explanation =
        placement::Explain(pod, snapshot_, *options_.engine, options_.shortlist, options_.now());
    placement::AddPlanHints(pod, options_.planner, options_.engine->prefix(), explanation);
    return explanation;
  }

  // Looks at the cluster again and again, until the board ends.
  void Paint() {
    while (pods_.Await(kLook) && pods_.Pause(kPause)) {
      if (snapshot_.Synced() && Repaint()) WakeClients();
    }
  }

  bool Repaint() {
    const model::Time now = options_.now();
    const std::lock_guard lock(picture_mutex_);
    const bool changed =
        pods_.With([&](PodTable& table) { return picture_.Update(snapshot_.Read(), table, now); });
    // While the API server does not answer, nobody knows what the pools have.
    if (feed_.Trouble().ok()) history_.Add(now, picture_.pools());
    return changed;
  }

  void WakeClients() {
    const std::lock_guard lock(clients_mutex_);
    for (const Events* client : clients_) client->Wake();
  }

  // How the board's own view of the API server is.
  Json Health() const {
    const absl::Status trouble = feed_.Trouble();
    Json health = {{"synced", snapshot_.Synced()},
                   {"trouble", std::string(trouble.message())},
                   {"denied", absl::IsPermissionDenied(trouble)}};
    if (const auto heard = feed_.Heard()) health["heard"] = heard->time_since_epoch().count();
    return health;
  }

  // What the picture tells, with everything around it. The lock is held.
  std::string Message(const std::string& picture) const {
    const Json around = {{"time", options_.now().time_since_epoch().count()},
                         {"cluster", fmt::format("{}:{}", options_.api.host, options_.api.port)},
                         {"namespace", options_.namespace_name},
                         {"health", Health()}};
    std::string text = TextOf(around);
    text.pop_back();
    return fmt::format("{},\"picture\":{}}}", text, picture);
  }

  // The next event for a client; empty if there is nothing to tell.
  std::string NextEvent(Events& client) {
    const auto now = std::chrono::steady_clock::now();
    if (client.parts.empty()) Collect(client);
    if (!client.parts.empty()) {
      client.told = now;
      std::string part = std::move(client.parts.front());
      client.parts.pop_front();
      return part;
    }
    if (now - client.told < server::BodySource::kPatience / 2) return "";
    client.told = now;
    const Json life = {{"time", options_.now().time_since_epoch().count()}, {"health", Health()}};
    return fmt::format("event: life\ndata: {}\n\n", TextOf(life));
  }

  // Puts together what has changed since the client was last told. Only the last event has an id,
  // so a client that loses the connection before it is told all of it again.
  void Collect(Events& client) {
    const std::lock_guard lock(picture_mutex_);
    Position& after = client.after();
    const bool is_strange = after.epoch != epoch_ || after.revision > picture_.revision();
    if (!is_strange && after.revision == picture_.revision()) return;
    const std::uint64_t since = is_strange ? 0 : after.revision;
    after = {epoch_, picture_.revision()};
    for (const std::string& part : picture_.Encode(since, kNodesInEvent)) {
      client.parts.push_back(fmt::format("event: change\ndata: {}\n\n", Message(part)));
    }
    client.parts.back().insert(0, fmt::format("id: {}\n", ToText(after)));
  }

  const BoardOptions options_;
  const std::string epoch_;
  const model::GangNames names_;
  std::atomic<bool> serves_ = false;
  std::unique_ptr<Access> access_;  // set before serves_

  cluster::Snapshot snapshot_;
  SharedPods pods_;
  // Guards the following. Taken before the lock of pods_ and before a reader of the snapshot.
  std::mutex picture_mutex_;
  Picture picture_;
  History history_;

  std::mutex clients_mutex_;
  std::set<Events*> clients_;

  Feed feed_;
  std::thread painter_;
  std::unique_ptr<server::Listener> listener_;
  std::unique_ptr<server::Listener> probes_;  // null: nobody asked for them
};

Board::Board(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Board::~Board() = default;

absl::StatusOr<std::unique_ptr<Board>> Board::Start(BoardOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  const absl::Status started = impl->Start();
  if (!started.ok()) return started;
  return std::unique_ptr<Board>(new Board(std::move(impl)));
}

std::string Board::Url() const { return impl_->Url(); }

}  // namespace berth::board
