#pragma once

#include <memory>
#include <string>

#include "model/accelerator.h"
#include "server/rate_limiter.h"

namespace berth::process {

/// Warns about nodes that two entries of the catalogue recognise. One of the entries is a mistake,
/// and pods that ask for the hidden entry do not get these nodes. The line says which entry to make
/// narrower. Writes five lines at once and then at most one a minute; `linesHeldBack` counts the
/// lines left out before a line. Thread-safe.
class CatalogueLog {
 public:
  /// `catalog` is the one by which nodes are recognised.
  explicit CatalogueLog(std::shared_ptr<const model::AcceleratorCatalog> catalog);

  /// `node` counts as `entry`, although `hidden` recognises it, too.
  void OnAmbiguous(const std::string& node, model::AcceleratorCatalog::Index entry,
                   model::AcceleratorCatalog::Index hidden);

 private:
  const std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  // Five at once, then one a minute.
  server::RateLimiter lines_;
};

}  // namespace berth::process
