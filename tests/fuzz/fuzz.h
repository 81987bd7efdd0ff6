#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/status.h"

// What every target has: LLVMFuzzerTestOneInput, as libFuzzer calls it, and oracles that end the
// process where they do not hold. The same targets run their corpora as ordinary tests.

/// Takes one input. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace berth::fuzz {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// An oracle: `what` has to be so.
inline void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// What is logged, and answered to whom wrote the input, however long that is.
inline void RequireSentence(const std::string& error) {
  Require(!error.empty(), "an error has a sentence");
  Require(error.size() < 2000, "the sentence is short");
}

/// Of what decodes bytes of others: it works, or says in a sentence of bounded length why not.
inline void RequireSentence(const absl::Status& status) {
  if (status.ok()) return;
  RequireSentence(std::string(status.message()));
  Require(absl::IsInvalidArgument(status) || absl::IsDataLoss(status), "the input is to blame");
}

}  // namespace berth::fuzz
