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

/// What to list and watch, and how.
struct ListWatchOptions {
  /// The path of the resource, e.g. "/api/v1/nodes".
  std::string path;
  /// A field selector. Empty for all objects.
  std::string field_selector;
  /// The most objects in one page of a list.
  int page_size = 500;
  /// The server is asked to end a watch after a random time between this and twice this, as
  /// client-go does.
  std::chrono::seconds watch_timeout{300};
  /// A watch that sends nothing for this long counts as dead. The server sends a bookmark about
  /// every minute.
  std::chrono::milliseconds stall{std::chrono::minutes(3)};
  /// Whether to request the list as the beginning of a watch. The server then sends it from memory,
  /// one object at a time. If the server refuses (before Kubernetes 1.34, or with its feature
  /// WatchList off), the list is requested in pages, and a watch again after watch_list_retry. If
  /// the server ends the watch before everything is listed, that one list is requested in pages:
  /// the next watch might end as soon.
  bool watch_list = true;
  std::chrono::milliseconds watch_list_retry{std::chrono::minutes(30)};
  /// Seeds the jitter of waits and timeouts.
  std::uint64_t seed = 0;
};

/// Receives the objects of a list-and-watch. All functions are called on the thread of
/// ListWatch::Run(), which waits for them. A typical sequence:
///
///   OnReplaceBegin()
///   OnUpsert(a), OnUpsert(b)   // the list
///   OnReplaceEnd("1000")
///   OnGranted()                // the watch
///   OnUpsert(c), OnHeard("1007")
///   OnDelete(a), OnHeard("1009")
///   OnHeard("1050")            // a bookmark
///
/// OnHeard("") may be called during the list; it does not tell whether the list will end. A list
/// may come at any time; it begins again if it breaks off.
template <typename T>
class ListWatchHandler {
 public:
  virtual ~ListWatchHandler() = default;
  /// A list begins. A list that breaks off begins again, with another OnReplaceBegin().
  virtual void OnReplaceBegin() = 0;
  /// The list is complete. Objects that were not in it no longer exist. `resource_version` is that
  /// of the whole list.
  virtual void OnReplaceEnd(const std::string& resource_version) = 0;
  /// An object of the list, or an object that was added or changed.
  virtual void OnUpsert(T object) = 0;
  /// An object exists but cannot be read. In a list it counts as listed. It has no name if not even
  /// that can be read; this happens only for objects of a list and for new objects.
  virtual void OnUnreadable(const UnreadableObject& object) = 0;
  /// An object was deleted or left the selection. `object` is its last state. If that cannot be
  /// read, it has only its namespace, name and, for pods, UID.
  virtual void OnDelete(T object) = 0;
  /// The server sent an event, a bookmark or a part of a list, even if nothing changed. All changes
  /// up to `resource_version` have been passed on. It is empty during a list.
  virtual void OnHeard(const std::string& resource_version) = 0;
  /// A watch was granted that goes on from what is known. It has not told yet what has changed
  /// since, and may break off before it does.
  virtual void OnGranted() {}
  /// A request failed and will be repeated: nobody answered, the reply broke off, or the server
  /// refused for now. Not called if everything is listed again instead, as when the resource
  /// version has expired, which happens to a server that works.
  virtual void OnFailed() {}
};

template <typename T>
class PageSink;
template <typename T>
class WatchSink;

/// Lists all objects of one kind, then follows their changes, for ever. T is model::Node,
/// model::Pod or model::Service.
///
/// Whatever fails is tried again after an increasing wait, and if the watch cannot continue,
/// everything is listed again. So the handler always ends up with what the server has. An object
/// that cannot be read does not hold up the others.
///
///   HttpClient client(api);
///   SteadyTimer timer;
///   ListWatch<model::Node> nodes({.path = "/api/v1/nodes"}, &client, &timer, &handler, &observer);
///   nodes.Run();  // until another thread calls nodes.Stop()
///
/// Run() is called on one thread, and Stop() from any. Everything else happens within Run().
template <typename T>
class ListWatch {
 public:
  /// Does nothing yet. Everything pointed at must outlive the list-and-watch. Stop() also stops
  /// `transport` and `timer`, so each list-and-watch needs its own.
  ListWatch(ListWatchOptions options, Transport* transport, Timer* timer,
            ListWatchHandler<T>* handler, ListWatchObserver* observer);

  /// Lists and watches. Blocks until Stop().
  void Run();

  /// Makes Run() return soon, whatever it waits for. It cannot be run again. From any thread.
  void Stop();

 private:
  /// Requests one page of a list.
  Outcome ListPage();
  /// Records a complete page, and ends the list after the last one.
  Outcome EndPage(const PageSink<T>& page);
  /// Requests the list, or its next page, in the way that the server supports.
  Outcome List();
  /// Whether to request the list as the beginning of a watch.
  bool MayWatchList() const;
  /// Watches from resource_version_ until the watch ends. If `lists`, the watch begins with the
  /// list.
  Outcome Watch(bool lists);
  /// Determines why a watch ended, and what to do next.
  Outcome WatchOutcome(const absl::Status& status, const WatchSink<T>& sink,
                       Timer::Clock::duration lasted, WatchEnd& end) const;
  /// Waits after a failure. Returns false after Stop().
  bool Recover(const Outcome& outcome);
  /// The waits before this remedy, which is not kGoOn.
  Backoff& BackoffBefore(Remedy remedy);
  /// Path and query of the request for a page.
  std::string ListTarget() const;
  /// Path and query of the request for a watch.
  std::string WatchTarget(bool lists);

  const ListWatchOptions options_;
  Transport* const transport_;
  Timer* const timer_;
  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  // Each kind of failure has waits of its own. Otherwise a server that was away for long would be
  // listed late: when it is back, it usually says first that the resource version has expired.
  Backoff reconnect_;
  Backoff retry_;
  Backoff relist_;
  std::mt19937_64 random_;

  /// The version to watch from. Empty while listing.
  std::string resource_version_;
  /// Of the list that is under way, and the number of its objects so far. Empty before its first
  /// page.
  std::string continue_token_;
  std::optional<std::size_t> listed_;
  /// When the server last refused to list by a watch.
  std::optional<Timer::Clock::time_point> watch_list_refused_;
  /// Whether the watch ended in good order that was to begin with the list that is under way.
  bool watch_list_cut_ = false;
};

}  // namespace berth::kube
