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

// Decodes bodies of the content type application/vnd.kubernetes.protobuf:
// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
//
// T is model::Node, model::Pod or model::Service throughout. Malformed bytes are DataLoss, with a
// sentence for the log. If only one object within a sound list or event is malformed, that is not
// an error: it is returned as an UnreadableObject. Everything here is thread-safe except the
// splitter.
//
// An object is unreadable if its bytes are truncated or do not decode, if a node has no name or
// exceeds node_sizes.h, or if an amount of a resource is negative or not a quantity: nobody can say
// what to use instead. Everything else has a fallback. A time out of range means that the time is
// not known, a status that is neither True nor False is Unknown, and strings may have any bytes.

namespace berth::kube {

/// The first bytes of every body (k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go,
/// protoEncodingPrefix). A runtime.Unknown follows.
inline constexpr std::string_view kBodyPrefix("k8s\0", 4);

/// The most bytes of one object, and of the watch event that contains it. etcd refuses more than
/// 1.5 MiB by default, and warns if it is configured for more than 10 MiB
/// (recommendedMaxRequestBytes in go.etcd.io/etcd/server/v3/embed/config.go).
inline constexpr std::size_t kMaxObject = std::size_t{16} << 20;

/// One object of a list or an event, or why it cannot be read.
template <typename T>
struct Item {
  /// The object, or nullopt if it cannot be read.
  std::optional<T> object;
  /// The identity and the error of an object that cannot be read; only set if `object` is not.
  UnreadableObject unreadable;
  /// Empty if it cannot be read.
  std::string resource_version;
};

/// One page of a list.
template <typename T>
struct Page {
  /// The objects that can be read.
  std::vector<T> items;
  /// The other objects of the page.
  std::vector<UnreadableObject> unreadable;
  /// The version of the whole list.
  std::string resource_version;
  /// Requests the next page. Empty on the last one.
  std::string continue_token;
};

/// A v1.Status: why the API server refused a request. A plain value.
struct ApiStatus {
  /// The HTTP status.
  int code = 0;
  /// A word for programs, e.g. "Expired".
  std::string reason;
  /// A sentence for people.
  std::string message;
  /// How long the server asks to wait; 0 if it did not say.
  std::chrono::seconds retry_after{0};
};

/// The types of watch events, as in metav1.WatchEvent.
enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One event of a watch.
template <typename T>
struct WatchEvent {
  WatchEventType type = WatchEventType::kBookmark;
  /// Set for kAdded, kModified and kDeleted, unless `unreadable` is. For kDeleted it is the last
  /// state; if that cannot be read, it has only its names and UID.
  std::optional<T> object;
  /// An object that cannot be read: for kAdded and kModified, and for kDeleted if not even the name
  /// can be read.
  std::optional<UnreadableObject> unreadable;
  /// Set for all types except kError. Empty if it cannot be read.
  std::string resource_version;
  /// Whether a bookmark says that everything that existed when the watch began has been sent.
  bool initial_events_end = false;
  /// Set for kError.
  ApiStatus status;
};

/// Returns "NodeList", "PodList" or "ServiceList".
template <typename T>
std::string_view ListKindOf();

/// Decodes one object, as returned by ListSplitter. Always succeeds; see Item.
template <typename T>
Item<T> DecodeItem(std::string_view bytes);

/// Decodes the whole body of a list reply. Returns DataLoss if it is not a whole list of Ts.
template <typename T>
absl::StatusOr<Page<T>> DecodePage(std::string_view body);

/// Decodes one frame of a watch, without its length. Returns DataLoss if it is not an event for a
/// T.
template <typename T>
absl::StatusOr<WatchEvent<T>> DecodeWatchEvent(std::string_view frame);

/// Decodes the body of an error reply. Returns DataLoss if it is not a v1.Status.
absl::StatusOr<ApiStatus> DecodeStatus(std::string_view body);

/// Cuts the frames out of the body of a watch, which may arrive in pieces of any size. A frame is a
/// length of 4 bytes (big-endian) and as many bytes. Used like ListSplitter: Append(), then Next()
/// until it returns nullopt. Not thread-safe.
class WatchFrameSplitter {
 public:
  /// The most bytes in one frame.
  static constexpr std::size_t kMaxFrame = kMaxObject;

  /// Takes the next bytes of the body. Invalidates all views from Next().
  void Append(std::string_view bytes);

  /// Returns the next whole frame without its length, or nullopt until more bytes arrive. Returns
  /// DataLoss if a frame is too long; the rest of the body cannot be read then.
  absl::StatusOr<std::optional<std::string_view>> Next();

  /// Whether the body may end here, with no frame begun.
  bool AtBoundary() const { return position_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t position_ = 0;  // of the first byte that Next() has not returned
};

}  // namespace berth::kube
