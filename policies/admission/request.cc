#include "policies/admission/request.h"

namespace berth::policies::admission {

std::span<const model::EnumName<Mode>> EnumNames(Mode) {
  static constexpr model::EnumName<Mode> kNames[] = {
      {Mode::kEnforce, "Enforce"}, {Mode::kWarn, "Warn"}, {Mode::kOff, "Off"}};
  return kNames;
}

}  // namespace berth::policies::admission
