#include "report/plain_text.h"

#include "policies/admission/wording.h"

namespace berth::report {

std::string PlainText(std::string_view text, std::size_t size) {
  return policies::admission::OneLine(text, size);
}

}  // namespace berth::report
