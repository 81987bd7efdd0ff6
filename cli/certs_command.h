#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth certs show` and `berth certs renew`.
void AddCertsCommand(Command berth);

}  // namespace berth::cli
