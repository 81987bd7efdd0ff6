#include "kube/object_identity.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace berth::kube {
namespace {

using google::protobuf::internal::WireFormatLite;

// Field numbers from k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto. The metadata is field 1
// of every object.
constexpr int kMetadataField = 1;
constexpr int kNameField = 1;
constexpr int kNamespaceField = 3;
constexpr int kUidField = 5;
constexpr int kResourceVersionField = 6;

/// Calls visit(number, value, whole) for the strings and messages in the message, up to where it
/// breaks off. A value that itself breaks off is the last one, and not whole.
template <typename Visit>
void ForEachDelimited(std::string_view bytes, Visit visit) {
  if (bytes.size() > std::numeric_limits<int>::max()) return;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return;
      continue;
    }
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return;
    const auto begin = static_cast<std::size_t>(in.CurrentPosition());
    const std::string_view value = bytes.substr(begin, length);
    visit(WireFormatLite::GetTagFieldNumber(tag), value, value.size() == length);
    if (value.size() < length || !in.Skip(static_cast<int>(length))) return;
  }
}

std::string* IdentityField(ObjectIdentity& identity, int number) {
  switch (number) {
    case kNameField:
      return &identity.name;
    case kNamespaceField:
      return &identity.namespace_;
    case kUidField:
      return &identity.uid;
    case kResourceVersionField:
      return &identity.resource_version;
    default:
      return nullptr;
  }
}

}  // namespace

ObjectIdentity ReadIdentity(std::string_view bytes) {
  ObjectIdentity identity;
  const auto read = [&identity](int number, std::string_view value, bool whole) {
    std::string* const field = IdentityField(identity, number);
    if (field != nullptr && whole) *field = value;
  };
  ForEachDelimited(bytes, [&](int number, std::string_view value, bool) {
    if (number == kMetadataField) ForEachDelimited(value, read);
  });
  return identity;
}

}  // namespace berth::kube
