#include "policies/admission/guaranteed_qos_config.h"

#include <string>
#include <string_view>

namespace berth::policies::admission {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::EnumName<MissingLimits> kMissingLimitsNames[] = {
    {MissingLimits::kDefault, "Default"},
    {MissingLimits::kDeny, "Deny"},
    {MissingLimits::kAllowRetryless, "AllowRetryless"}};

constexpr model::EnumName<CpuRule> kCpuRuleNames[] = {{CpuRule::kRaise, "Raise"},
                                                      {CpuRule::kLower, "Lower"}};

void ValidateAmount(const std::optional<model::Quantity>& amount, const std::string& path,
                    const std::string& example, Errors& errors) {
  if (amount && amount->Sign() > 0) return;
  errors.push_back({path, "must be more than 0; write a size such as " + example});
}

void ValidateSize(const ContainerSize& size, const std::string& path, Errors& errors) {
  ValidateAmount(size.cpu, path + ".cpu", "\"1\"", errors);
  ValidateAmount(size.memory, path + ".memory", "4Gi", errors);
}

}  // namespace

std::span<const model::EnumName<MissingLimits>> EnumNames(MissingLimits) {
  return kMissingLimitsNames;
}

std::span<const model::EnumName<CpuRule>> EnumNames(CpuRule) { return kCpuRuleNames; }

ContainerSize GuaranteedQosConfig::Size(std::string_view cpu, std::string_view memory) {
  return {.cpu = model::Quantity::Parse(cpu).value(),
          .memory = model::Quantity::Parse(memory).value()};
}

std::vector<model::FieldError> Validate(const GuaranteedQosConfig& config) {
  Errors errors;
  for (std::size_t i = 0; i < config.lower_cpu_of.size(); ++i) {
    if (!config.lower_cpu_of[i].empty()) continue;
    errors.push_back({"lowerCpuOf[" + std::to_string(i) + "]",
                      "is empty; write the name of a container, such as istio-proxy"});
  }
  ValidateSize(config.without_accelerators, "withoutAccelerators", errors);
  ValidateSize(config.small, "small", errors);
  for (std::size_t i = 0; i < config.claims.size(); ++i) {
    const std::string path = "claims[" + std::to_string(i) + "]";
    if (config.claims[i].match.empty()) {
      errors.push_back({path + ".match",
                        "is empty; write the name of a ResourceClaimTemplate or "
                        "DeviceClass, or * for all"});
    }
    ValidateAmount(config.claims[i].share.cpu, path + ".share.cpu", "\"4\"", errors);
    ValidateAmount(config.claims[i].share.memory, path + ".share.memory", "40Gi", errors);
  }
  return errors;
}

}  // namespace berth::policies::admission
