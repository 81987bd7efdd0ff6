#pragma once

namespace berth::cli {

/// What the process tells its caller.
inline constexpr int kExitOk = 0;
/// The answer is no, or something failed while running.
inline constexpr int kExitNo = 1;
/// The command line or a file given to it is wrong; nothing was started.
inline constexpr int kExitUsage = 2;

}  // namespace berth::cli
