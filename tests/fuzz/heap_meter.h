#pragma once

#include <cstddef>

namespace berth::fuzz {

/// Bytes that this process has taken by operator new and not given back, and the most there were
/// since ResetPeak(). Both 0 under sanitizers, which have an operator new of their own.
std::size_t LiveBytes();
std::size_t PeakBytes();
void ResetPeak();

}  // namespace berth::fuzz
