#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth config defaults|validate|docs`.
void AddConfigCommand(CLI::App& app, int& exit_code);

}  // namespace berth::cli
