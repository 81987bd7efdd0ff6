#pragma once

#include <cstdint>
#include <string_view>

namespace berth::model {

/// A hash of 64 bits that is the same in every process and version of Berth, so that it may be a
/// part of names: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). Thread-safe.
///
///   StableHash().Add("ml/train").Add(uid).value()
class StableHash {
 public:
  /// Adds the bytes of `text`. Those of two texts run together: add something that cannot be in
  /// them between the two, if that matters.
  StableHash& Add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return *this;
  }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace berth::model
