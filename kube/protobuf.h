#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

// Bodies of content type application/vnd.kubernetes.protobuf:
// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
//
// T is model::Node, model::Pod or model::Service throughout. Malformed bytes are errors of code
// InvalidArgument or DataLoss with a sentence for the log, but not where only an object is
// malformed in a list or an event that is sound: there it is told as an UnreadableObject.
// Everything here is thread-safe but the two splitters.
//
// What makes an object unreadable is bytes that break off or do not decode, a node's name that is
// missing, and an amount of a resource that is no quantity or negative: nobody can say what should
// stand in its place. All else has a meaning that can: a time out of range means that nobody said
// when, a status that is neither True nor False is Unknown, and strings may have any bytes.

namespace berth::kube {

/// What every body begins with (k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go,
/// protoEncodingPrefix); a runtime.Unknown follows.
inline constexpr std::string_view kBodyPrefix("k8s\0", 4);

/// Bytes of one object at most, and of what a watch wraps it in. etcd refuses more than 1.5 MiB
/// unless it is told otherwise, and warns of more than 10 MiB (recommendedMaxRequestBytes in
/// go.etcd.io/etcd/server/v3/embed/config.go).
inline constexpr std::size_t kMaxObject = std::size_t{16} << 20;

/// An object of a list or an event: read, or who it is and why it cannot be.
template <typename T>
struct Item {
  std::optional<T> object;
  /// Set where `object` is not.
  UnreadableObject unreadable;
  /// Empty where that cannot be read.
  std::string resource_version;
};

/// One page of a list.
template <typename T>
struct Page {
  std::vector<T> items;
  /// Those that are on the page, too.
  std::vector<UnreadableObject> unreadable;
  std::string resource_version;
  /// What to ask the next page with; empty on the last one.
  std::string continue_token;
};

/// A v1.Status: why the API server refused.
struct ApiStatus {
  int code = 0;
  std::string reason;
  std::string message;
  /// 0 where the server did not say.
  std::chrono::seconds retry_after{0};
};

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One event of a watch.
template <typename T>
struct WatchEvent {
  WatchEventType type = WatchEventType::kBookmark;
  /// Set for kAdded, kModified and kDeleted (the last state then), unless `unreadable` is. Of a
  /// deleted object that cannot be read it is nothing but the names and the uid.
  std::optional<T> object;
  /// Of kAdded and kModified; of kDeleted where not even the name can be read.
  std::optional<UnreadableObject> unreadable;
  /// Set for all but kError; empty where that cannot be read.
  std::string resource_version;
  /// Of a bookmark: everything that there was when the watch began has been told.
  bool initial_events_end = false;
  /// Set for kError.
  ApiStatus status;
};

/// "NodeList", "PodList" or "ServiceList".
template <typename T>
std::string_view ListKindOf();

/// Decodes one object, as ListSplitter gives it.
template <typename T>
Item<T> DecodeItem(std::string_view bytes);

/// Decodes the whole body of a list reply.
template <typename T>
absl::StatusOr<Page<T>> DecodePage(std::string_view body);

/// Decodes one frame of a watch, without its length.
template <typename T>
absl::StatusOr<WatchEvent<T>> DecodeWatchEvent(std::string_view frame);

/// Decodes the body of an error reply.
absl::StatusOr<ApiStatus> DecodeStatus(std::string_view body);

/// Cuts the frames (a 4-byte big-endian length, then as many bytes) out of a watch's body, however
/// that was split. Not thread-safe.
class WatchFrameSplitter {
 public:
  /// Bytes in one frame at most.
  static constexpr std::size_t kMaxFrame = kMaxObject;

  /// Takes the next bytes of the body. Views from Next() end here.
  void Append(std::string_view bytes);

  /// The next whole frame, or nothing until more bytes come. After an error the body is lost.
  absl::StatusOr<std::optional<std::string_view>> Next();

  /// Whether the body may end here: no frame has begun.
  bool AtBoundary() const { return position_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t position_ = 0;  // of the first byte that Next() has not given out
};

}  // namespace berth::kube
