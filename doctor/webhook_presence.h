#pragma once

#include "doctor/check.h"

namespace berth::doctor {

/// Whether the chart was installed without its webhook on purpose: neither webhook configuration
/// exists, and Berth's configuration names none for the controller to maintain. False if the
/// configurations could not be read or were not asked for.
bool HasNoWebhook(const Facts& facts, const Rules& rules);

/// The finding of checks of the webhook in that case: a note, as nothing is wrong.
Findings NoWebhook();

}  // namespace berth::doctor
