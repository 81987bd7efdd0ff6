#pragma once

#include <cstddef>

namespace berth::simulation {

/// Bytes that were allocated with new and not freed, as the allocator rounds them. The program is
/// one of the tests of this folder: it has operators of its own.
std::size_t LiveBytes();

}  // namespace berth::simulation
