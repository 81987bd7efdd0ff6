#pragma once

#include <span>

#include "doctor/check.h"

namespace berth::doctor::checks {

// Each of these is defined, and described for users, in the source of its name.
Check Registered();
Check Last();
Check Shortlist();
Check Authority();
Check Sampling();
Check Preemption();
Check Spreading();
Check NodeCache();
Check Weight();
Check Ignorable();
Check ManagedResources();
Check Extender();
Check Snapshot();
Check Webhook();
Check WebhookScope();
Check WebhookAuthority();
Check Certificates();
Check Readable();
Check Labels();
Check Catalogue();
Check DeviceClasses();
Check Conditions();
Check Shares();
Check CpuCapacity();
Check Bypass();
Check MemoryMinimum();
Check Affinity();
Check Checkpoints();
Check Rights();

/// Every check, in the order in which people want to read them. A new check is a source in this
/// folder, a line above, a line in the list, and a row in docs/doctor.md.
std::span<const Check> All();

}  // namespace berth::doctor::checks
