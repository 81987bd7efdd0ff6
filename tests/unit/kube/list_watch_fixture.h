#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kube/list_watch.h"
#include "tests/integration/fake_objects.h"

namespace berth::kube {

using berth::tests::EncodeBookmark;
using berth::tests::EncodeFrame;
using berth::tests::EncodeList;
using berth::tests::EncodeObject;
using berth::tests::EncodeStatus;
using berth::tests::Envelope;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline model::Node MakeNode(const std::string& name) {
  model::Node node;
  node.name = name;
  return node;
}

/// One scripted reply; `body` is given in these pieces, then `end` is returned.
struct Reply {
  HttpHead head{.status = 200, .content_type = kProtobufType};
  std::vector<std::string> pieces;
  absl::Status end;
  /// How long it takes.
  milliseconds takes{0};
};

/// Time that passes only when somebody waits.
class FakeWaiter final : public Timer {
 public:
  Clock::time_point Now() const override { return now_; }
  bool Wait(milliseconds duration) override {
    waits.push_back(duration);
    now_ += duration;
    return !stopped_;
  }
  void Stop() override { stopped_ = true; }
  void Pass(milliseconds duration) { now_ += duration; }

  std::vector<milliseconds> waits;

 private:
  Clock::time_point now_;
  bool stopped_ = false;
};

/// Gives one reply after the other, and is stopped after the last.
class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(FakeWaiter* timer) : timer_(timer) {}

  absl::Status Send(const HttpRequest& request, HttpSink& sink) override {
    if (replies.empty()) return absl::CancelledError("stopped");
    requests.push_back(request);
    const Reply reply = std::move(replies.front());
    replies.pop_front();
    timer_->Pass(reply.takes);
    if (reply.head.status == 0) return reply.end;
    absl::Status status = sink.OnHead(reply.head);
    for (const std::string& piece : reply.pieces) {
      if (status.ok()) status = sink.OnBody(piece);
    }
    return status.ok() ? reply.end : status;
  }
  void Stop() override { replies.clear(); }

  std::deque<Reply> replies;
  std::vector<HttpRequest> requests;

 private:
  FakeWaiter* const timer_;
};

/// Writes down what it is told, one word each.
class Story final : public ListWatchHandler<model::Node>, public ListWatchObserver {
 public:
  void OnReplaceBegin() override { Tell("begin"); }
  void OnReplaceEnd(const std::string& resource_version) override {
    Tell("end");
    versions.push_back("end:" + resource_version);
  }
  void OnUpsert(model::Node node) override { Tell("+" + node.name); }
  void OnDelete(model::Node node) override { Tell("-" + node.name); }
  // Of both interfaces.
  void OnUnreadable(const UnreadableObject& object) override { Tell("?" + object.name); }
  void OnHeard(const std::string& resource_version) override {
    versions.push_back(resource_version);
  }
  void OnGranted() override { ++grants; }
  void OnFailed() override { ++failures; }
  void OnListed(std::size_t items) override { Tell("listed:" + std::to_string(items)); }
  void OnWatchEnd(WatchEnd end) override { Tell("ended:" + std::string(NameOf(end))); }
  void OnError(const absl::Status& error) override { errors.emplace_back(error.message()); }
  void OnBackoff(milliseconds) override { Tell("backoff"); }

  std::string text;
  std::vector<std::string> errors;
  int grants = 0;
  int failures = 0;
  /// Of every call that has one.
  std::vector<std::string> versions;

 private:
  void Tell(const std::string& word) { text += (text.empty() ? "" : " ") + word; }
};

class ListWatchUnit : public ::testing::Test {
 protected:
  void Page(const std::vector<std::string>& names, const std::string& version = "10",
            const std::string& next = "") {
    std::vector<std::string> items;
    for (const std::string& name : names) items.push_back(EncodeObject(MakeNode(name), "1"));
    Push({.pieces = {EncodeList("NodeList", items, version, next)}});
  }

  static std::string Event(const char* type, const std::string& name, const std::string& version) {
    return EncodeFrame(type, Envelope("Node", EncodeObject(MakeNode(name), version)));
  }

  /// A node that breaks off right after its metadata, or within them.
  static std::string Broken(const std::string& name, const std::string& version, int missing = 1) {
    model::Node node = MakeNode(name);
    node.capacity.Set("nvidia.com/gpu", 8);
    const std::string whole = EncodeObject(node, version);
    return whole.substr(0, whole.size() - static_cast<std::size_t>(missing));
  }

  static std::string BrokenEvent(const char* type, const std::string& bytes) {
    return EncodeFrame(type, Envelope("Node", bytes));
  }

  static std::string Bookmark(const std::string& version, bool initial_events_end) {
    return EncodeFrame("BOOKMARK", Envelope("Node", EncodeBookmark(version, initial_events_end)));
  }

  void Push(Reply reply) { transport_.replies.push_back(std::move(reply)); }
  void Refuse(int code, int retry_after = 0) {
    Push({.head = {.status = code, .retry_after = seconds(retry_after)},
          .pieces = {EncodeStatus(code, "Reason", 0)}});
  }
  /// Nobody answers.
  void BeAway() { Push({.head = {.status = 0}, .end = absl::UnavailableError("refused")}); }
  /// A watch that ends in good order after some minutes.
  void Watch(std::vector<std::string> frames) {
    Push({.pieces = std::move(frames), .takes = std::chrono::minutes(6)});
  }

  const std::string& Run() {
    ListWatchOptions options;
    options.path = "/api/v1/nodes";
    options.watch_list = watch_list_;
    ListWatch<model::Node> list_watch(options, &transport_, &timer_, &story_, &story_);
    list_watch.Run();
    return story_.text;
  }

  std::string VersionOf(std::size_t request) const {
    const std::string& target = transport_.requests[request].target;
    const std::size_t begin = target.find("resourceVersion=");
    if (begin == std::string::npos) return "";
    return target.substr(begin + 16, target.find('&', begin) - begin - 16);
  }

  bool watch_list_ = false;
  FakeWaiter timer_;
  FakeTransport transport_{&timer_};
  Story story_;
};

}  // namespace berth::kube
