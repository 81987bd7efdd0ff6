#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::report {

/// The most bytes of a name, and of a sentence of a policy, in a report.
inline constexpr std::size_t kMaxName = 253;
inline constexpr std::size_t kMaxSentence = 400;

/// Returns `text`, which is UTF-8, as one line of at most `size` bytes that is safe to print on a
/// terminal: control characters become blanks, and characters that change the direction of what
/// follows or are invisible are removed. `size` must be at least 3.
std::string PlainText(std::string_view text, std::size_t size);

}  // namespace berth::report
