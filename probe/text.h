#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::probe {

/// A whole number, decimal, or hexadecimal behind 0x. Nothing: the text is something else.
std::optional<std::uint64_t> ToNumber(std::string_view text);

/// A number with or without decimals. Nothing: the text is something else, or not finite.
std::optional<double> ToDecimal(std::string_view text);

/// A duration as Go writes it: 20s, 1m30s, 250ms.
std::optional<std::chrono::milliseconds> ToDuration(std::string_view text);
std::string ToText(std::chrono::milliseconds duration);

/// The text without blanks and line breaks around it.
std::string_view Trim(std::string_view text);

/// The parts between separators, empty ones left out.
std::vector<std::string> Split(std::string_view text, std::string_view separators);

/// Whether one of the shell patterns fits, or there are none.
bool Fits(const std::string& name, const std::vector<std::string>& patterns);

}  // namespace berth::probe
