#include <fmt/format.h>

#include <utility>

#include "doctor/checks/all.h"
#include "model/accelerator_memory.h"
#include "model/annotation.h"

namespace berth::doctor::checks {

namespace {

// Nodes with accelerators, by whether one of their labels is right.
struct Labelled {
  std::size_t right = 0;
  std::vector<std::string> missing;
  std::vector<std::string> wrong;
};

// `wanted` is the value that the label should have, and `what` describes it in messages.
void Sort(const model::Node& node, const std::string& label, const std::string& wanted,
          const std::string& what, Labelled& labelled) {
  const auto value = model::Find(node.labels, label);
  if (!value) {
    labelled.missing.push_back(fmt::format("{} ({})", node.name, what));
  } else if (*value != wanted) {
    labelled.wrong.push_back(fmt::format("{} ({}, labelled {})", node.name, what, *value));
  } else {
    ++labelled.right;
  }
}

Labelled SortByModel(const Facts& facts, const Rules& rules, const std::string& label) {
  Labelled labelled;
  for (const model::Node& node : *facts.nodes) {
    const auto entry = rules.catalog.Match(node);
    if (entry == model::AcceleratorCatalog::kNone) continue;
    const std::string& name = rules.catalog[entry].name;
    Sort(node, label, name, name, labelled);
  }
  return labelled;
}

Labelled SortByMemory(const Facts& facts, const Rules& rules, const std::string& label) {
  Labelled labelled;
  for (const model::Node& node : *facts.nodes) {
    const auto greatest = model::GreatestMemoryMinimum(model::ReadGpuLabels(node.labels),
                                                       rules.catalog.Match(node), rules.catalog);
    if (!greatest) continue;
    const std::string gibibytes = std::to_string(model::WholeGibibytes(*greatest));
    Sort(node, label, gibibytes, gibibytes + " GiB", labelled);
  }
  return labelled;
}

Findings Missing(const Labelled& labelled, const std::string& label, std::string_view so) {
  if (labelled.missing.empty()) return {};
  return Problem(fmt::format("{} without label {}: {}: {}",
                             Counted(labelled.missing.size(), "accelerator node"), label, so,
                             Listed(labelled.missing)),
                 "the controller sets it: look at its log, and at check rights");
}

Findings Wrong(const Labelled& labelled, std::string_view what, std::string advice) {
  if (labelled.wrong.empty()) return {};
  return Warning(fmt::format("{} labelled {}: {}", Counted(labelled.wrong.size(), "node"), what,
                             Listed(labelled.wrong)),
                 std::move(advice));
}

Findings CheckLabels(const Facts& facts, const Rules& rules) {
  const std::string model_label = model::kAcceleratorLabel.Below(rules.config.prefix);
  const std::string memory_label = model::kAcceleratorMemory.Below(rules.config.prefix);
  const Labelled by_model = SortByModel(facts, rules, model_label);
  const Labelled by_memory = SortByMemory(facts, rules, memory_label);
  Findings found = Missing(by_model, model_label,
                           "pods without accelerators go there, and pods that name a model do not");
  Append(Wrong(by_model, "as another model",
               "the controller changes the label once no pod there asks for accelerators: drain "
               "them"),
         found);
  Append(Missing(by_memory, memory_label, "pods that name a minimum memory do not go there"),
         found);
  Append(Wrong(by_memory, "with another memory",
               "the controller raises the label at once, and lowers it once no pod there asks for "
               "accelerators: drain them, or look at its log"),
         found);
  if (!found.empty()) return found;
  return Ok(fmt::format("{} labelled", Counted(by_model.right, "accelerator node")));
}

}  // namespace

Check Labels() {
  return {.name = "labels",
          .help = "every node with accelerators has the labels that Berth writes",
          .needs = {Source::kNodes},
          .uses = {},
          .run = CheckLabels};
}

}  // namespace berth::doctor::checks
