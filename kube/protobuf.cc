#include "kube/protobuf.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "google/protobuf/arena.h"
#include "kube/list_splitter.h"
#include "kube/object_identity.h"
#include "kube/path.h"
#include "kube/protobuf_model.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {
namespace {

using google::protobuf::Arena;

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go, InitialEventsAnnotationKey.
constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";

/// The messages and kinds that belong to a T.
template <typename T>
struct Wire;

template <>
struct Wire<model::Node> {
  using Object = pb::Node;
  static constexpr std::string_view kKind = "Node";
  static constexpr std::string_view kListKind = "NodeList";
  static constexpr bool kNamespaced = false;
};

template <>
struct Wire<model::Pod> {
  using Object = pb::Pod;
  static constexpr std::string_view kKind = "Pod";
  static constexpr std::string_view kListKind = "PodList";
  static constexpr bool kNamespaced = true;
};

template <>
struct Wire<model::Service> {
  using Object = pb::Service;
  static constexpr std::string_view kKind = "Service";
  static constexpr std::string_view kListKind = "ServiceList";
  static constexpr bool kNamespaced = true;
};

template <typename Message>
absl::StatusOr<const Message*> Parse(std::string_view bytes, std::string_view what, Arena& arena) {
  auto* message = Arena::CreateMessage<Message>(&arena);
  constexpr std::size_t kMaxSize = std::numeric_limits<int>::max();
  if (bytes.size() > kMaxSize ||
      !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(fmt::format("{} bytes do not decode as {}", bytes.size(), what));
  }
  return message;
}

/// Opens a body ("k8s\0" and an Unknown) that must contain that kind. Returns the bare message,
/// which lives in `arena`.
absl::StatusOr<std::string_view> OpenBody(std::string_view body, std::string_view kind,
                                          Arena& arena) {
  if (!body.starts_with(kBodyPrefix)) {
    return absl::DataLossError(
        fmt::format("expected a {} in Kubernetes protobuf, got {}", kind, Quoted(body)));
  }
  body.remove_prefix(kBodyPrefix.size());
  const auto unknown = Parse<pb::Unknown>(body, "runtime.Unknown", arena);
  if (!unknown.ok()) return unknown.status();
  const std::string& actual = (*unknown)->type_meta().kind();
  if (actual != kind) {
    return absl::DataLossError(fmt::format("expected a {}, got a {}", kind, Quoted(actual)));
  }
  return (*unknown)->raw();
}

template <typename Message>
absl::StatusOr<const Message*> ParseBody(std::string_view body, std::string_view kind,
                                         Arena& arena) {
  const auto raw = OpenBody(body, kind, arena);
  if (!raw.ok()) return raw.status();
  return Parse<Message>(*raw, kind, arena);
}

template <typename T>
Item<T> Unreadable(std::string_view bytes, const absl::Status& error) {
  ObjectIdentity identity = ReadIdentity(bytes);
  const bool named = !identity.name.empty() && Wire<T>::kNamespaced != identity.namespace_.empty();
  if (!named) identity.namespace_ = identity.name = "";
  return {.object = std::nullopt,
          .unreadable = {.kind = std::string(Wire<T>::kKind),
                         .namespace_ = std::move(identity.namespace_),
                         .name = std::move(identity.name),
                         .uid = std::move(identity.uid),
                         .error = std::string(error.message())},
          .resource_version = std::move(identity.resource_version)};
}

template <typename T>
Item<T> DecodeItemIn(std::string_view bytes, Arena& arena) {
  const auto message = Parse<typename Wire<T>::Object>(bytes, Wire<T>::kKind, arena);
  if (!message.ok()) return Unreadable<T>(bytes, message.status());
  absl::Status error;
  T object = FromProto(**message, Path(Wire<T>::kKind), error);
  if (!error.ok()) return Unreadable<T>(bytes, error);
  return {.object = std::move(object),
          .unreadable = {},
          .resource_version = (*message)->metadata().resource_version()};
}

model::Node NamedAs(const UnreadableObject& object, const model::Node*) {
  return {.name = object.name};
}

model::Pod NamedAs(const UnreadableObject& object, const model::Pod*) {
  return {.namespace_ = object.namespace_, .name = object.name, .uid = object.uid};
}

model::Service NamedAs(const UnreadableObject& object, const model::Service*) {
  return {.namespace_ = object.namespace_, .name = object.name};
}

ApiStatus FromProto(const pb::Status& status) {
  return {.code = status.code(),
          .reason = status.reason(),
          .message = status.message(),
          .retry_after = std::chrono::seconds(status.details().retry_after_seconds())};
}

std::optional<WatchEventType> EventType(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  if (text == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

template <typename T>
absl::Status ReadBookmark(std::string_view bytes, Arena& arena, WatchEvent<T>& event) {
  const auto bookmark = Parse<pb::AnyObject>(bytes, "a bookmark", arena);
  if (!bookmark.ok()) return bookmark.status();
  event.resource_version = (*bookmark)->metadata().resource_version();
  const auto& annotations = (*bookmark)->metadata().annotations();
  const auto end = annotations.find(kInitialEventsEnd);
  event.initial_events_end = end != annotations.end() && end->second == "true";
  return absl::OkStatus();
}

template <typename T>
void ReadItem(std::string_view bytes, Arena& arena, WatchEvent<T>& event) {
  Item<T> item = DecodeItemIn<T>(bytes, arena);
  event.resource_version = std::move(item.resource_version);
  event.object = std::move(item.object);
  if (event.object) return;
  const bool named = !item.unreadable.name.empty();
  if (event.type == WatchEventType::kDeleted && named) {
    event.object = NamedAs(item.unreadable, static_cast<const T*>(nullptr));
  } else {
    event.unreadable = std::move(item.unreadable);
  }
}

/// Fills in the fields of `event` that come from its object.
template <typename T>
absl::Status ReadObject(std::string_view body, Arena& arena, WatchEvent<T>& event) {
  if (event.type == WatchEventType::kError) {
    const auto status = ParseBody<pb::Status>(body, "Status", arena);
    if (status.ok()) event.status = FromProto(**status);
    return status.status();
  }
  const auto bytes = OpenBody(body, Wire<T>::kKind, arena);
  if (!bytes.ok()) return bytes.status();
  if (event.type == WatchEventType::kBookmark) return ReadBookmark(*bytes, arena, event);
  ReadItem(*bytes, arena, event);
  return absl::OkStatus();
}

}  // namespace

template <typename T>
std::string_view ListKindOf() {
  return Wire<T>::kListKind;
}

template <typename T>
Item<T> DecodeItem(std::string_view bytes) {
  Arena arena;
  return DecodeItemIn<T>(bytes, arena);
}

template <typename T>
absl::StatusOr<Page<T>> DecodePage(std::string_view body) {
  ListSplitter splitter(ListKindOf<T>());
  splitter.Append(body);
  Page<T> page;
  while (true) {
    const absl::StatusOr<std::optional<std::string_view>> bytes = splitter.Next();
    if (!bytes.ok()) return bytes.status();
    if (!bytes->has_value()) break;
    Item<T> item = DecodeItem<T>(**bytes);
    if (item.object) {
      page.items.push_back(*std::move(item.object));
    } else {
      page.unreadable.push_back(std::move(item.unreadable));
    }
  }
  page.resource_version = splitter.resource_version();
  page.continue_token = splitter.continue_token();
  absl::Status end = splitter.CheckEnd();
  if (!end.ok()) return end;
  return page;
}

template <typename T>
absl::StatusOr<WatchEvent<T>> DecodeWatchEvent(std::string_view frame) {
  Arena arena;
  const auto message = Parse<pb::WatchEvent>(frame, "WatchEvent", arena);
  if (!message.ok()) return message.status();
  const std::optional<WatchEventType> type = EventType((*message)->type());
  if (!type) {
    return absl::DataLossError(
        fmt::format("{} is not the type of a watch event", Quoted((*message)->type())));
  }
  WatchEvent<T> event;
  event.type = *type;
  absl::Status error = ReadObject((*message)->object().raw(), arena, event);
  if (!error.ok()) return error;
  return event;
}

absl::StatusOr<ApiStatus> DecodeStatus(std::string_view body) {
  Arena arena;
  const auto status = ParseBody<pb::Status>(body, "Status", arena);
  if (!status.ok()) return status.status();
  return FromProto(**status);
}

template std::string_view ListKindOf<model::Node>();
template std::string_view ListKindOf<model::Pod>();
template std::string_view ListKindOf<model::Service>();
template Item<model::Node> DecodeItem(std::string_view);
template Item<model::Pod> DecodeItem(std::string_view);
template Item<model::Service> DecodeItem(std::string_view);
template absl::StatusOr<Page<model::Node>> DecodePage(std::string_view);
template absl::StatusOr<Page<model::Pod>> DecodePage(std::string_view);
template absl::StatusOr<Page<model::Service>> DecodePage(std::string_view);
template absl::StatusOr<WatchEvent<model::Node>> DecodeWatchEvent(std::string_view);
template absl::StatusOr<WatchEvent<model::Pod>> DecodeWatchEvent(std::string_view);
template absl::StatusOr<WatchEvent<model::Service>> DecodeWatchEvent(std::string_view);

}  // namespace berth::kube
