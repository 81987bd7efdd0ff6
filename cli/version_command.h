#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// `berth version [-o json]`.
void AddVersionCommand(CLI::App& app);

}  // namespace berth::cli
