#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "model/time.h"

namespace berth::controller {

/// Is notified of the state of certificates. The methods are called on the thread of
/// CertificateKeeper::Run() and must not block. No text that they get contains any part of a key.
class CertificateObserver {
 public:
  virtual ~CertificateObserver() = default;
  /// Gives the time when each certificate expires, by the name of its Secret. Called in each round.
  /// Secrets without a valid certificate are left out. Empty: this controller does not lead any
  /// more, so it does not know.
  virtual void OnEnds(const std::map<std::string, model::Time>& ends) = 0;
  /// The content of a Secret is not a certificate with its key, for the reason `why`. It will be
  /// written anew. Called in each round until then.
  virtual void OnUnreadable(const std::string& secret, const absl::Status& why) = 0;
  /// An object could not be read, or a certificate could not be made. The keeper tries again.
  /// Failed writes are reported to WriteObserver instead.
  virtual void OnCertificateError(const absl::Status& error) = 0;
};

}  // namespace berth::controller
