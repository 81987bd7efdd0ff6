#pragma once

#include <string>
#include <string_view>

// The tokens between the slashes of a JSON pointer (RFC 6901), in which "~0" stands for "~" and
// "~1" for "/".

namespace berth::admission {

/// Returns the token of a key.
std::string EscapeToken(std::string_view key);

/// Returns the key of a token. A "~" before anything but "0" and "1" counts as "~0".
std::string UnescapeToken(std::string_view token);

}  // namespace berth::admission
