#include "process/catalogue_log.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "server/log.h"

namespace berth::process {

namespace {

constexpr std::chrono::minutes kCatalogueLineInterval{1};
constexpr int kBurst = 5;

}  // namespace

CatalogueLog::CatalogueLog(std::shared_ptr<const model::AcceleratorCatalog> catalog)
    : catalog_(std::move(catalog)), lines_(kCatalogueLineInterval, kBurst) {}

void CatalogueLog::OnAmbiguous(const std::string& node, model::AcceleratorCatalog::Index entry,
                               model::AcceleratorCatalog::Index hidden) {
  const auto held_back = lines_.Admit();
  if (!held_back) return;
  const std::string& counts = (*catalog_)[entry].name;
  const std::string& ignored = (*catalog_)[hidden].name;
  server::Log(
      server::LogLevel::kWarning,
      fmt::format(
          "two entries of the catalogue match node {}, {} and {}; it counts as {}, the first one",
          node, counts, ignored, counts),
      {{"node", node},
       {"countsAs", counts},
       {"hides", ignored},
       {"remedy", "in accelerators, make nodes[].matches of one entry narrower"},
       {"linesHeldBack", *held_back}});
}

}  // namespace berth::process
