#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "kube/api_reply.h"
#include "kube/backoff.h"
#include "kube/list_watch_observer.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "kube/unreadable_object.h"

namespace berth::kube {

struct ListWatchOptions {
  /// "/api/v1/nodes"
  std::string path;
  /// Empty: all.
  std::string field_selector;
  /// Objects in one page of a list.
  int page_size = 500;
  /// How long the server shall keep a watch, between this and twice this, as client-go asks for it.
  std::chrono::seconds watch_timeout{300};
  /// A watch that says nothing for so long is dead. The server sends a bookmark about every minute.
  std::chrono::milliseconds stall{std::chrono::minutes(3)};
  /// Whether to ask for the list as the beginning of a watch: the server then sends it from memory,
  /// one object at a time. Where the server refuses (before Kubernetes 1.34, or its feature
  /// WatchList is off) pages are listed, and it is asked again after watch_list_retry.
  bool watch_list = true;
  std::chrono::milliseconds watch_list_retry{std::chrono::minutes(30)};
  /// For jitter.
  std::uint64_t seed = 0;
};

/// Takes what a list-and-watch tells. Called on its thread.
template <typename T>
class ListWatchHandler {
 public:
  virtual ~ListWatchHandler() = default;
  /// All objects follow as upserts, then the end: what was not among them is gone. A list that
  /// breaks off begins again. `resource_version` is that of the whole list.
  virtual void OnReplaceBegin() = 0;
  virtual void OnReplaceEnd(const std::string& resource_version) = 0;
  virtual void OnUpsert(T object) = 0;
  /// An object that is there cannot be read. It belongs to a list as what is upserted does. Without
  /// a name nobody knows which one it is; that is told of lists only.
  virtual void OnUnreadable(const UnreadableObject& object) = 0;
  /// The object left the selection; it is given as it was at last, or where that cannot be read
  /// with nothing but its names and its uid.
  virtual void OnDelete(T object) = 0;
  /// The server said something, be it that nothing changed. Everything up to `resource_version` has
  /// been told by now; it is empty while a list is under way.
  virtual void OnHeard(const std::string& resource_version) = 0;
};

template <typename T>
class PageSink;
template <typename T>
class WatchSink;

/// Lists all objects of one kind, then follows their changes, for ever: T is model::Node,
/// model::Pod or model::Service. Whatever fails is tried again after a growing wait; the handler
/// always ends up with what the server has. An object that cannot be read holds up nothing else.
/// Run() on one thread, Stop() on any.
template <typename T>
class ListWatch {
 public:
  /// Everything must outlive the list-and-watch.
  ListWatch(ListWatchOptions options, Transport* transport, Timer* timer,
            ListWatchHandler<T>* handler, ListWatchObserver* observer);

  /// Blocks until Stop().
  void Run();

  /// Ends Run() at once; it cannot be run again.
  void Stop();

 private:
  Outcome ListPage();
  Outcome EndPage(const PageSink<T>& page);
  Outcome List();
  bool MayWatchList() const;
  Outcome Watch(bool lists);
  Outcome WatchOutcome(const absl::Status& status, const WatchSink<T>& sink,
                       Timer::Clock::duration lasted, WatchEnd& end) const;
  bool Recover(const Outcome& outcome);
  std::string ListTarget() const;
  std::string WatchTarget(bool lists);

  const ListWatchOptions options_;
  Transport* const transport_;
  Timer* const timer_;
  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  Backoff backoff_;
  std::mt19937_64 random_;

  /// Empty while listing.
  std::string resource_version_;
  /// Of a list of which a page has come.
  std::string continue_token_;
  std::optional<std::size_t> listed_;
  /// When the server refused to list by a watch.
  std::optional<Timer::Clock::time_point> watch_list_refused_;
};

}  // namespace berth::kube
