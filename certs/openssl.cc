#include "certs/openssl.h"

#include <openssl/err.h>

namespace berth::certs {

Bio ReadFrom(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

int NoPassPhrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  if (asked != nullptr) *static_cast<bool*>(asked) = true;
  return -1;
}

absl::Status OpenSslError(std::string_view what) {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return absl::InvalidArgumentError(std::string(what) + ": " +
                                    (reason == nullptr ? "unknown reason" : reason));
}

}  // namespace berth::certs
