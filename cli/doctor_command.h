#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth doctor`: what is wrong with a cluster and Berth in it, and what to do.
void AddDoctorCommand(Command berth);

}  // namespace berth::cli
