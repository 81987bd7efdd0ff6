#include "admission/json_pointer.h"

#include <cstddef>

namespace berth::admission {

std::string EscapeToken(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::string UnescapeToken(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escapes = token[i] == '~' && i + 1 < token.size();
    key += !escapes ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return key;
}

}  // namespace berth::admission
