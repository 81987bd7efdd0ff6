#pragma once

#include <openssl/bio.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

// What the few sources that speak to OpenSSL share. No other may include this.

namespace berth::certs {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;

/// A source of the bytes of `text`, which must outlive it.
Bio ReadFrom(std::string_view text);

/// All that was written to `bio`, which is one in memory.
std::string TextOf(BIO* bio);

/// InvalidArgument with `what` and the reason that OpenSSL gave last, which is taken off its queue
/// and never holds any of the input.
absl::Status OpenSslError(std::string_view what);

}  // namespace berth::certs
