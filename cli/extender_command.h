#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth extender --config FILE`.
void AddExtenderCommand(CLI::App& app, int& exit_code);

}  // namespace berth::cli
