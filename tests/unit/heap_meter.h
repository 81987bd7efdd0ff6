#pragma once

#include <cstddef>

namespace berth::tests {

/// Bytes that this process has taken by operator new and not given back, as the allocator rounds
/// them, and the most there were since ResetPeak(). A program that calls one of these has the
/// operators of heap_meter.cc. Under sanitizers, which have operators of their own that find more,
/// both are 0, unless it is compiled with BERTH_METER_DESPITE_SANITIZERS.
std::size_t LiveBytes();
std::size_t PeakBytes();
void ResetPeak();

}  // namespace berth::tests
