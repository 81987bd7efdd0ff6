#pragma once

#include <memory>
#include <string>

#include "model/accelerator.h"
#include "server/rate_limiter.h"

namespace berth::process {

/// Warns of nodes that two entries of the catalogue recognise: one of the entries is a mistake, and
/// pods that ask for the hidden one will not go there. Five lines, then at most one a minute;
/// `linesHeldBack` tells how many were left out before a line. Thread-safe.
class CatalogueLog {
 public:
  explicit CatalogueLog(std::shared_ptr<const model::AcceleratorCatalog> catalog);

  /// `node` counts as `entry`, though `hidden` recognises it too.
  void OnAmbiguous(const std::string& node, model::AcceleratorCatalog::Index entry,
                   model::AcceleratorCatalog::Index hidden);

 private:
  const std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  server::RateLimiter lines_;
};

}  // namespace berth::process
