#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth stanza`: Berth's entry for somebody's own KubeSchedulerConfiguration.
void AddStanzaCommand(Command berth);

}  // namespace berth::cli
