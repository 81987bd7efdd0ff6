#pragma once

#include <string>

namespace berth::controller {

/// Returns "<hostname>_<uuid>", a new one for each call: the name of this process among all that
/// compete for a Lease. client-go's programs make theirs in the same way. The UUID is random (RFC
/// 9562, version 4), so a process that is started again on the same host is another one.
std::string MakeIdentity();

}  // namespace berth::controller
