#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <string_view>

#include "certs/certificate.h"

namespace berth::certs {

/// Verifies a server or a client that presents `chain`, its own certificate first, as of `now`, for
/// a peer that trusts only `authorities`. Both are PEM. As for clients written in Go, any
/// certificate among the authorities ends the chain, whether it is self-signed or not. Host names
/// are not verified; see Certificate::names(). Thread-safe.
///
/// Returns OK if the peer accepts it, FailedPrecondition with the reason if not, and
/// InvalidArgument if one of the texts has no certificate or a broken one.
absl::Status Verify(std::string_view chain, std::string_view authorities,
                    std::chrono::sys_seconds now, Usage usage = Usage::kServer);

}  // namespace berth::certs
