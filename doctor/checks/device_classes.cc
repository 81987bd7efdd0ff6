#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

// The prefix of every DeviceClass's implicit resource: ResourceDeviceClassPrefix in
// k8s.io/api/resource/v1/types.go. Kube-scheduler's configuration does not accept such names under
// managedResources, because they end in kubernetes.io (validateExtendedResourceName in
// k8s.io/kubernetes/pkg/scheduler/apis/config/validation/validation.go, v1.36.3).
constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";

std::vector<DeviceClassFacts> ClassesOfTheCatalogue(const std::vector<DeviceClassFacts>& all,
                                                    const model::AcceleratorCatalog& catalog) {
  std::vector<DeviceClassFacts> classes;
  std::ranges::copy_if(all, std::back_inserter(classes), [&catalog](const DeviceClassFacts& each) {
    return catalog.HasResource(each.resource);
  });
  return classes;
}

Findings JudgeUnlisted(const std::vector<DeviceClassFacts>& classes,
                       const policies::scheduling::ShortlistConfig& shortlist) {
  std::vector<std::string> unlisted;
  for (const DeviceClassFacts& each : classes) {
    const auto& listed = shortlist.device_class_resources;
    if (std::ranges::find(listed, each.resource) != listed.end()) continue;
    unlisted.push_back(fmt::format("{} ({})", each.name, each.resource));
  }
  if (shortlist.size == 0 || unlisted.empty()) return {};
  return Warning(
      fmt::format("kube-scheduler chooses devices for pods by {}, but Berth answers with only a "
                  "few nodes for these pods: {}",
                  unlisted.size() == 1 ? "a DeviceClass" : "DeviceClasses", Listed(unlisted)),
      "list these resources in extender.shortlist.deviceClassResources");
}

// A resource that is listed without need keeps its pods from getting shortlists.
Findings JudgeListed(const std::vector<DeviceClassFacts>& all,
                     const policies::scheduling::ShortlistConfig& shortlist) {
  std::vector<std::string> idle;
  for (const std::string& resource : shortlist.device_class_resources) {
    const bool served = std::ranges::find(all, resource, &DeviceClassFacts::resource) != all.end();
    if (!served) idle.push_back(resource);
  }
  if (shortlist.size == 0 || idle.empty()) return {};
  return Note("no DeviceClass serves these entries of deviceClassResources: " + Listed(idle),
              "remove them, so that their pods get short answers, too");
}

// Finds pods that request a class of the catalogue by its implicit name. Kube-scheduler never asks
// Berth about them.
Findings JudgeImplicit(const std::vector<PodFacts>& pods,
                       const std::vector<DeviceClassFacts>& classes) {
  std::vector<std::string> bypassing;
  for (const PodFacts& pod : pods) {
    for (const DeviceClassFacts& each : classes) {
      const std::string implicit = std::string(kImplicitPrefix) + each.name;
      if (pod.requests.Get(implicit) == 0) continue;
      bypassing.push_back(fmt::format("{} ({})", pod.FullName(), each.name));
    }
  }
  if (bypassing.empty()) return {};
  return Warning(
      "kube-scheduler does not call Berth for pods that name a DeviceClass as a resource, and "
      "cannot be configured to: " +
          Listed(bypassing),
      fmt::format("change them to ask for the class's extendedResourceName ({}) instead",
                  classes.front().resource));
}

Findings CheckDeviceClasses(const Facts& facts, const Rules& rules) {
  const policies::scheduling::ShortlistConfig& shortlist = rules.config.extender.shortlist;
  const auto classes = ClassesOfTheCatalogue(*facts.device_classes, rules.catalog);
  Findings found = JudgeUnlisted(classes, shortlist);
  Append(JudgeListed(*facts.device_classes, shortlist), found);
  if (facts.pods.ok()) Append(JudgeImplicit(*facts.pods, classes), found);
  if (!found.empty()) return found;
  if (classes.empty()) return Ok("no DeviceClass serves a resource of the catalogue");
  return Ok(Counted(classes.size(), "DeviceClass") + " of the catalogue, known to Berth");
}

}  // namespace

Check DeviceClasses() {
  return {.name = "device-classes",
          .help = "Berth knows which resources of the catalogue have a DeviceClass",
          .needs = {Source::kClasses},
          .uses = {Source::kPods},
          .run = CheckDeviceClasses};
}

}  // namespace berth::doctor::checks
