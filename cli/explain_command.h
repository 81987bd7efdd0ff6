#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth explain -f FILE` and `berth explain POD`: which nodes a pod may go to, and why not to the
/// others.
void AddExplainCommand(CLI::App& app, int& exit_code);

}  // namespace berth::cli
