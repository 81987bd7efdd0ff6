#pragma once

#include <cstdint>
#include <string>

#include "report/object.h"

namespace berth::report {

/// Thousandths of a core as cores: "8", "0.5", "1,204".
std::string CoresText(std::int64_t cpu);

/// Bytes in the largest binary unit of which there is at least one, with one digit behind the point
/// below 10: "80Gi", "1.5Ti", "0".
std::string MemoryText(std::int64_t memory);

/// Both: "8 cores, 80Gi".
std::string ComputeText(const Compute& amount);

/// A number with commas between thousands.
std::string CountText(std::int64_t count);

}  // namespace berth::report
