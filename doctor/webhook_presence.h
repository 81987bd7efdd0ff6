#pragma once

#include "doctor/check.h"

namespace berth::doctor {

/// Whether there is no webhook on purpose: neither configuration exists, and Berth's configuration
/// names none for the controller to keep. False where the configurations could not be read.
bool HasNoWebhook(const Facts& facts, const Rules& rules);

/// What checks of the webhook say then.
Findings NoWebhook();

}  // namespace berth::doctor
