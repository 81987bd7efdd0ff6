#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth capacity`: counts the cluster's devices by accelerator.
void AddCapacityCommand(CLI::App& app, int& exit_code);

}  // namespace berth::cli
