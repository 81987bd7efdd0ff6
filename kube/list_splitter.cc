#include "kube/list_splitter.h"

#include <algorithm>
#include <cstdint>

#include "fmt/format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "kube/path.h"
#include "kube/protobuf.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

namespace {

using google::protobuf::internal::WireFormatLite;

// The bytes of a tag and a length, as varints.
constexpr std::size_t kLongestFieldHead = 20;

}  // namespace

/// The beginning of a field.
struct ListSplitter::FieldHead {
  int number = 0;
  std::size_t head = 0;   // bytes of the tag and the length
  std::size_t value = 0;  // bytes that follow

  std::size_t size() const { return head + value; }
};

/// Returns nullopt if the head is truncated or malformed. Envelopes and lists have only fields that
/// are messages, strings or bytes.
std::optional<ListSplitter::FieldHead> ListSplitter::ReadFieldHead(std::string_view bytes) {
  const auto size = static_cast<int>(std::min(bytes.size(), kLongestFieldHead));
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            size);
  const std::uint32_t tag = in.ReadTag();
  const bool sized =
      WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  std::uint64_t length = 0;
  if (!sized || !in.ReadVarint64(&length)) return std::nullopt;
  return FieldHead{.number = WireFormatLite::GetTagFieldNumber(tag),
                   .head = static_cast<std::size_t>(in.CurrentPosition()),
                   .value = length};
}

void ListSplitter::Append(std::string_view bytes) {
  buffer_.erase(0, position_);
  position_ = 0;
  buffer_.append(bytes);
}

absl::StatusOr<std::optional<std::string_view>> ListSplitter::Next() {
  const absl::Status prefix = TakePrefix();
  if (!prefix.ok()) return prefix;
  if (!prefixed_) return std::nullopt;
  while (const std::optional<FieldHead> field = ReadFieldHead(Rest())) {
    if (list_left_ == 0 && field->number == pb::Unknown::kRawFieldNumber) {
      const absl::Status entered = EnterList(*field);
      if (!entered.ok()) return entered;
      continue;
    }
    if (IsTooLong(*field)) return Malformed();
    if (field->size() > Rest().size()) return std::nullopt;
    absl::StatusOr<std::optional<std::string_view>> item = Take(*field);
    if (!item.ok() || item->has_value()) return item;
  }
  if (Rest().size() >= kLongestFieldHead) return Malformed();
  return std::nullopt;
}

absl::Status ListSplitter::CheckEnd() const {
  if (!prefixed_) return NotTheKind();
  if (list_left_ > 0 || !Rest().empty()) return Malformed();
  return entered_ ? absl::OkStatus() : NotTheKind();
}

absl::Status ListSplitter::TakePrefix() {
  if (prefixed_) return absl::OkStatus();
  const std::string_view front = Rest().substr(0, kBodyPrefix.size());
  if (!kBodyPrefix.starts_with(front)) return NotTheKind();
  prefixed_ = front == kBodyPrefix;
  if (prefixed_) position_ += kBodyPrefix.size();
  return absl::OkStatus();
}

absl::Status ListSplitter::EnterList(const FieldHead& field) {
  if (actual_kind_ != kind_) return NotTheKind();
  position_ += field.head;
  list_left_ = field.value;
  entered_ = true;
  return absl::OkStatus();
}

bool ListSplitter::IsTooLong(const FieldHead& field) const {
  const bool ends_after_list = list_left_ > 0 && field.size() > list_left_;
  return field.value > kMaxObject || ends_after_list;
}

/// The whole field has arrived. It is either an object, which is returned, or it is read here.
absl::StatusOr<std::optional<std::string_view>> ListSplitter::Take(const FieldHead& field) {
  const std::string_view value = Rest().substr(field.head, field.value);
  position_ += field.size();
  const bool in_list = list_left_ > 0;
  if (in_list) list_left_ -= field.size();
  if (in_list && field.number == pb::ObjectList::kItemsFieldNumber) return value;
  const bool read = in_list ? ReadListField(field.number, value) : ReadField(field.number, value);
  if (!read) return Malformed();
  return std::nullopt;
}

bool ListSplitter::ReadField(int number, std::string_view value) {
  if (number != pb::Unknown::kTypeMetaFieldNumber) return true;
  pb::TypeMeta type;
  if (!type.ParseFromArray(value.data(), static_cast<int>(value.size()))) return false;
  actual_kind_ = type.kind();
  return true;
}

bool ListSplitter::ReadListField(int number, std::string_view value) {
  if (number != pb::ObjectList::kMetadataFieldNumber) return true;
  pb::ListMeta meta;
  if (!meta.ParseFromArray(value.data(), static_cast<int>(value.size()))) return false;
  resource_version_ = meta.resource_version();
  continue_token_ = meta.continue_();
  return true;
}

absl::Status ListSplitter::NotTheKind() const {
  if (!prefixed_) {
    return absl::DataLossError(
        fmt::format("expected a {} in Kubernetes protobuf, got {}", kind_, Quoted(Rest())));
  }
  return absl::DataLossError(fmt::format("expected a {}, got a {}", kind_, Quoted(actual_kind_)));
}

absl::Status ListSplitter::Malformed() const {
  return absl::DataLossError(fmt::format("a {} is malformed or breaks off", kind_));
}

}  // namespace berth::kube
