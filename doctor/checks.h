#pragma once

#include "doctor/check.h"

namespace berth::doctor {

Findings CheckRegistered(const Facts& facts, const Rules& rules);
Findings CheckLast(const Facts& facts, const Rules& rules);
Findings CheckShortlist(const Facts& facts, const Rules& rules);
Findings CheckAuthority(const Facts& facts, const Rules& rules);
Findings CheckSampling(const Facts& facts, const Rules& rules);
Findings CheckPreemption(const Facts& facts, const Rules& rules);
Findings CheckSpreading(const Facts& facts, const Rules& rules);
Findings CheckNodeCache(const Facts& facts, const Rules& rules);
Findings CheckWeight(const Facts& facts, const Rules& rules);
Findings CheckIgnorable(const Facts& facts, const Rules& rules);
Findings CheckManagedResources(const Facts& facts, const Rules& rules);
Findings CheckExtender(const Facts& facts, const Rules& rules);
Findings CheckSnapshot(const Facts& facts, const Rules& rules);
Findings CheckWebhook(const Facts& facts, const Rules& rules);
Findings CheckWebhookScope(const Facts& facts, const Rules& rules);
Findings CheckWebhookAuthority(const Facts& facts, const Rules& rules);
Findings CheckCertificates(const Facts& facts, const Rules& rules);
Findings CheckReadable(const Facts& facts, const Rules& rules);
Findings CheckLabels(const Facts& facts, const Rules& rules);
Findings CheckCatalogue(const Facts& facts, const Rules& rules);
Findings CheckDeviceClasses(const Facts& facts, const Rules& rules);
Findings CheckConditions(const Facts& facts, const Rules& rules);
Findings CheckShares(const Facts& facts, const Rules& rules);
Findings CheckCpuCapacity(const Facts& facts, const Rules& rules);
Findings CheckBypass(const Facts& facts, const Rules& rules);
Findings CheckMemoryMinimum(const Facts& facts, const Rules& rules);
Findings CheckAffinity(const Facts& facts, const Rules& rules);
Findings CheckCheckpoints(const Facts& facts, const Rules& rules);
Findings CheckRights(const Facts& facts, const Rules& rules);

}  // namespace berth::doctor
