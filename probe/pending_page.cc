#include "probe/pending_page.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "probe/nvidia.h"

namespace berth::probe {

Verdict LookForPendingPages(const Settings& settings, Progress& progress) {
  progress.Doing("reading the PCI bus");
  if (HasNoGpu(settings)) return Well("no GPU on the PCI bus");
  // One after the other: a field that a driver does not know makes the whole query fail.
  const auto pages =
      ReadField(settings, progress, {"--query-gpu", "pci.bus_id", "retired_pages.pending"}, IsYes);
  if (pages.ok() && !pages->bad.empty()) return Judge(*pages, "has pages pending retirement", "");
  const auto rows = ReadField(
      settings, progress, {"--query-remapped-rows", "gpu_bus_id", "remapped_rows.pending"}, IsYes);
  if (rows.ok() && !rows->bad.empty()) return Judge(*rows, "has rows pending remapping", "");
  if (!pages.ok() && !rows.ok()) return Unknown(std::string(pages.status().message()));
  const FieldReading& told = rows.ok() && (!pages.ok() || rows->known > 0) ? *rows : *pages;
  return Judge(told, "", "no page or row is pending");
}

}  // namespace berth::probe
