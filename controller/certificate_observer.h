#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "model/time.h"

namespace berth::controller {

/// Told on the thread of CertificateKeeper::Run(). No text that it gets holds anything of a key.
class CertificateObserver {
 public:
  virtual ~CertificateObserver() = default;
  /// When the certificate of each Secret ends; Secrets without one are left out. Nothing: this
  /// controller does not keep them, as it does not lead.
  virtual void OnEnds(const std::map<std::string, model::Time>& ends) = 0;
  /// A Secret holds something else than it should, and is written anew.
  virtual void OnUnreadable(const std::string& secret, const absl::Status& why) = 0;
  /// Something could not be read, or no certificate could be made.
  virtual void OnCertificateError(const absl::Status& error) = 0;
};

}  // namespace berth::controller
