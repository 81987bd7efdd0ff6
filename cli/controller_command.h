#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth controller --config FILE`, `berth controller --rbac [--config FILE]`.
void AddControllerCommand(CLI::App& app, int& exit_code);

}  // namespace berth::cli
