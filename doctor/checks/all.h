#pragma once

#include <span>

#include "doctor/check.h"

namespace berth::doctor::checks {

// Each check is defined in the source with its name. The check's `help` describes it for users, and
// docs/doctor.md explains it. The checks of kube-scheduler's configuration:
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
Check ClientLimit();
Check ManagedResources();

/// The checks of the extender:
Check Extender();
Check Snapshot();

/// The check of the controller's plan:
Check Planner();

/// The checks of the webhooks:
Check Webhook();
Check WebhookScope();
Check WebhookAuthority();

/// The checks of certificates:
Check Certificates();

/// The checks of nodes and pods:
Check Readable();
Check Labels();
Check NodeGroups();
Check Catalogue();
Check DeviceClasses();
Check Conditions();
Check Taints();
Check Shares();
Check CpuCapacity();
Check Bypass();
Check MemoryMinimum();
Check Affinity();
Check Checkpoints();
Check LostNodes();

/// The check of permissions:
Check Rights();

/// Returns every check, in the order of the report. A new check needs a source in this folder, a
/// line above, a line in all.cc, and a row in docs/doctor.md. The result lives as long as the
/// process.
std::span<const Check> All();

}  // namespace berth::doctor::checks
