#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <string_view>

#include "certs/certificate.h"

namespace berth::certs {

/// Whether who trusts `authorities` alone takes the server, or the client, that shows `chain`, its
/// certificate first, at that time; both PEM. As for Go's clients, whatever is among the
/// authorities ends the chain, self-signed or not. The error says why not.
absl::Status Verify(std::string_view chain, std::string_view authorities,
                    std::chrono::sys_seconds now, Usage usage = Usage::kServer);

}  // namespace berth::certs
