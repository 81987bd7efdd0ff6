#include "kube/protobuf.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "google/protobuf/arena.h"
#include "kube/path.h"
#include "kube/protobuf_model.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {
namespace {

using google::protobuf::Arena;

// k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go, protoEncodingPrefix.
constexpr std::string_view kMagic("k8s\0", 4);

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go, InitialEventsAnnotationKey.
constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";

/// Which messages and kinds belong to a T.
template <typename T>
struct Wire;

template <>
struct Wire<model::Node> {
  using Object = pb::Node;
  using List = pb::NodeList;
  static constexpr std::string_view kKind = "Node";
  static constexpr std::string_view kListKind = "NodeList";
};

template <>
struct Wire<model::Pod> {
  using Object = pb::Pod;
  using List = pb::PodList;
  static constexpr std::string_view kKind = "Pod";
  static constexpr std::string_view kListKind = "PodList";
};

template <>
struct Wire<model::Service> {
  using Object = pb::Service;
  using List = pb::ServiceList;
  static constexpr std::string_view kKind = "Service";
  static constexpr std::string_view kListKind = "ServiceList";
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

/// Opens a body ("k8s\0" and an Unknown) that must hold that kind.
template <typename Message>
absl::StatusOr<const Message*> ParseBody(std::string_view body, std::string_view kind,
                                         Arena& arena) {
  if (!body.starts_with(kMagic)) {
    return absl::DataLossError(
        fmt::format("expected a {} in Kubernetes protobuf, got {}", kind, Quoted(body)));
  }
  body.remove_prefix(kMagic.size());
  const auto unknown = Parse<pb::Unknown>(body, "runtime.Unknown", arena);
  if (!unknown.ok()) return unknown.status();
  const std::string& actual = (*unknown)->type_meta().kind();
  if (actual != kind) {
    return absl::DataLossError(fmt::format("expected a {}, got a {}", kind, Quoted(actual)));
  }
  return Parse<Message>((*unknown)->raw(), kind, arena);
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

/// Fills what the event's object tells.
template <typename T>
absl::Status ReadObject(std::string_view body, Arena& arena, WatchEvent<T>& event) {
  if (event.type == WatchEventType::kError) {
    const auto status = ParseBody<pb::Status>(body, "Status", arena);
    if (status.ok()) event.status = FromProto(**status);
    return status.status();
  }
  const auto object = ParseBody<typename Wire<T>::Object>(body, Wire<T>::kKind, arena);
  if (!object.ok()) return object.status();
  event.resource_version = (*object)->metadata().resource_version();
  if (event.type == WatchEventType::kBookmark) {
    const auto& annotations = (*object)->metadata().annotations();
    const auto end = annotations.find(kInitialEventsEnd);
    event.initial_events_end = end != annotations.end() && end->second == "true";
    return absl::OkStatus();
  }
  absl::Status error;
  event.object = FromProto(**object, Path(Wire<T>::kKind), error);
  return error;
}

}  // namespace

template <typename T>
absl::StatusOr<Page<T>> DecodePage(std::string_view body) {
  Arena arena;
  const auto list = ParseBody<typename Wire<T>::List>(body, Wire<T>::kListKind, arena);
  if (!list.ok()) return list.status();
  Page<T> page{.items = {},
               .resource_version = (*list)->metadata().resource_version(),
               .continue_token = (*list)->metadata().continue_()};
  page.items.reserve(static_cast<std::size_t>((*list)->items_size()));
  absl::Status error;
  for (const auto& item : (*list)->items()) {
    page.items.push_back(FromProto(item, Path(Wire<T>::kKind), error));
  }
  if (!error.ok()) return error;
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

template absl::StatusOr<Page<model::Node>> DecodePage(std::string_view);
template absl::StatusOr<Page<model::Pod>> DecodePage(std::string_view);
template absl::StatusOr<Page<model::Service>> DecodePage(std::string_view);
template absl::StatusOr<WatchEvent<model::Node>> DecodeWatchEvent(std::string_view);
template absl::StatusOr<WatchEvent<model::Pod>> DecodeWatchEvent(std::string_view);
template absl::StatusOr<WatchEvent<model::Service>> DecodeWatchEvent(std::string_view);

}  // namespace berth::kube
