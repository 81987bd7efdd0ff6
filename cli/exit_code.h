#pragma once

// The exit codes of `berth`. Commands that differ say so in their help.

namespace berth::cli {

/// The command did its work, and the answer is yes.
inline constexpr int kExitOk = 0;
/// The answer is no, or something failed at run time.
inline constexpr int kExitNo = 1;
/// The command line or a file is wrong; nothing was started.
inline constexpr int kExitUsage = 2;

}  // namespace berth::cli
