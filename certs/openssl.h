#pragma once

#include <openssl/bio.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

// Shared by the few sources that use OpenSSL. No other source may include this.

namespace berth::certs {

/// Lets std::unique_ptr free an object of OpenSSL with its function `Free`:
///
///   using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
/// An owned BIO, OpenSSL's stream of bytes.
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;

/// Returns a stream of the bytes of `text`, which must outlive it.
Bio ReadFrom(std::string_view text);

/// Returns all that was written to `bio`, which must be in memory.
std::string TextOf(BIO* bio);

/// A pem_password_cb that has no pass phrase. Without it, OpenSSL asks for one on the terminal and
/// waits, also for certificates, because anything in PEM may be encrypted. Sets `asked`, a bool, if
/// that is not null.
int NoPassPhrase(char* buffer, int size, int writing, void* asked);

/// Returns InvalidArgument with `what` and the last reason in OpenSSL's error queue, and clears the
/// queue. The reason never contains any of the input.
absl::Status OpenSslError(std::string_view what);

}  // namespace berth::certs
