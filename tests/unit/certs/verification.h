#pragma once

#include <string>
#include <vector>

#include "certs/certificate.h"
#include "certs/secret_data.h"

namespace berth::certs {

/// Verifies what a server with `data` sends, as its clients do: at `now`, for `host` (a DNS name or
/// an IP address), trusting `roots` alone. Empty: it is good; else OpenSSL's reason.
std::string Verify(const SecretData& data, const std::vector<Certificate>& roots, Time now,
                   const std::string& host = "localhost");

}  // namespace berth::certs
