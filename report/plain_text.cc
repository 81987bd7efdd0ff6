#include "report/plain_text.h"

#include "policies/admission/wording.h"

namespace berth::report {

namespace {

// Whether `text` begins with one of U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F or U+FEFF:
// characters of three bytes that are invisible, break lines or change the direction of text.
bool IsInvisible(std::string_view text) {
  if (text.size() < 3) return false;
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at(0) == 0xef) return at(1) == 0xbb && at(2) == 0xbf;
  if (at(0) != 0xe2) return false;
  if (at(1) == 0x80) return (at(2) >= 0x8b && at(2) <= 0x8f) || (at(2) >= 0xa8 && at(2) <= 0xae);
  return at(1) == 0x81 && at(2) >= 0xa0 && at(2) <= 0xaf;
}

}  // namespace

std::string PlainText(std::string_view text, std::size_t size) {
  std::string visible;
  // A name is not read further than somebody would read it.
  for (std::size_t i = 0; i < text.size() && visible.size() <= size; ++i) {
    if (IsInvisible(text.substr(i))) {
      i += 2;
    } else {
      visible += text[i];
    }
  }
  return policies::admission::OneLine(visible, size);
}

}  // namespace berth::report
