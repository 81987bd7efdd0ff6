#include "report/survey.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "policies/admission/isolation.h"
#include "report/finding_pattern.h"
#include "report/plain_text.h"

namespace berth::report {

namespace {

// The most owners above each other, such as a CronJob, its Job and a pod.
constexpr int kMostOwners = 4;

std::uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

// Identifies the object: by its UID or, in a manifest that was never stored, by its name.
std::uint64_t WorkloadOf(const JudgedObject& object) {
  if (!object.owner_uid.empty()) return HashOf(object.owner_uid);
  if (!object.uid.empty()) return HashOf(object.uid);
  return HashOf(object.kind + '/' + object.namespace_name + '/' + object.name);
}

}  // namespace

Survey::TextId Survey::Texts::IdOf(std::string_view text) {
  const auto [found, is_new] =
      ids_.try_emplace(std::string(text), static_cast<TextId>(texts_.size()));
  if (is_new) texts_.push_back(&found->first);
  return found->second;
}

// Judging pods on their nodes takes no more than the extender keeps of nodes; their resources are
// needed whole.
Survey::Survey(std::shared_ptr<const model::AcceleratorCatalog> catalog)
    : snapshot_({.catalog = std::move(catalog), .labels = {}, .whole_pods = true}) {}

void Survey::Take(Seen seen) {
  std::visit([this](auto& each) { Add(std::move(each)); }, seen);
}

void Survey::Add(model::Node node) {
  if (!snapshot_.Read().Find(node.name)) ++node_count_;
  // Pods that run have the devices that are kept now for others.
  node.annotations.clear();
  snapshot_.UpsertNode(std::move(node));
}

void Survey::Add(const SeenNamespace& seen) {
  labels_[PlainText(seen.name, kMaxName)] = {PlainText(seen.mode, kMaxName),
                                             seen.accelerator_nodes_allowed};
}

void Survey::Add(JudgedObject object) {
  if (!object.uid.empty() && !uids_.insert(HashOf(object.uid)).second) return;
  Record& record = records_.emplace_back();
  record.kind = kinds_.IdOf(PlainText(object.kind, kMaxName));
  record.namespace_name = namespace_names_.IdOf(PlainText(object.namespace_name, kMaxName));
  record.name = PlainText(object.name, kMaxName);
  record.name.shrink_to_fit();
  record.ended = object.ended;
  record.is_pod = !object.is_template && object.kind == "Pod";
  record.is_job = !object.is_template && object.kind == "Job";
  record.workload = WorkloadOf(object);
  record.verdict = VerdictOf(object.opinion);
  Sight(object.opinion, false);
  if (object.where_allowed) {
    record.has_alternative = true;
    record.where_allowed = VerdictOf(*object.where_allowed);
    Sight(*object.where_allowed, true);
  }
  // Nobody owns anything in the name of a pod.
  if (!record.is_pod && !object.owner_uid.empty() && !object.uid.empty()) {
    owners_.emplace(HashOf(object.uid), HashOf(object.owner_uid));
  }
  if (!object.use) return;
  const PodUse& use = *object.use;
  record.has_use = true;
  record.now = use.now;
  record.then = use.then;
  if (!use.node.empty()) record.node = node_names_.IdOf(use.node);
  if (!use.asking) return;
  record.shape = shapes_.IdOf(use.shape);
  if (record.shape == shape_pods_.size()) shape_pods_.push_back(*use.asking);
}

void Survey::Add(const kube::UnreadableObject& object) {
  ++unreadable_.count;
  if (object.kind == "Node") snapshot_.QuarantineNode(object);
  if (unreadable_.examples.size() == kMostUnreadable) return;
  std::string text = object.kind.empty() ? "an object" : object.kind;
  const std::string name = FullNameOf(object);
  if (!name.empty()) text += ' ' + name;
  unreadable_.examples.push_back(PlainText(text + ": " + object.error, kMaxSentence));
}

void Survey::Add(const OtherObject& object) {
  const std::string kind = PlainText(object.kind, kMaxName);
  if (others_.size() == kMostKinds && !others_.contains(kind)) return;
  Other& other = others_[kind];
  ++other.count;
  if (other.why.empty()) other.why = PlainText(object.why, kMaxSentence);
}

Survey::Verdict Survey::VerdictOf(const Opinion& opinion) {
  Verdict verdict{.effect = opinion.effect,
                  .kept_off = opinion.IsChangedBy(policies::admission::IsolationPolicy::kName)};
  for (const report::Finding& finding : opinion.findings) {
    verdict.policies |= PolicyBit(finding.policy);
  }
  return verdict;
}

// The record that was added last is the one that the opinion is about.
void Survey::Sight(const Opinion& opinion, bool where_allowed) {
  const auto record = static_cast<std::uint32_t>(records_.size() - 1);
  const std::size_t first = sightings_.size();
  for (const report::Finding& finding : opinion.findings) {
    if (finding.text.empty()) continue;
    const Sighting sighting{FindingFor(finding), record, where_allowed};
    const bool known =
        std::any_of(sightings_.begin() + static_cast<std::ptrdiff_t>(first), sightings_.end(),
                    [&](const Sighting& each) { return each.finding == sighting.finding; });
    if (!known) sightings_.push_back(sighting);
  }
}

std::uint32_t Survey::FindingFor(const report::Finding& finding) {
  std::string text = PlainText(finding.text, kMaxSentence);
  const std::string key = std::string(finding.policy) +
                          static_cast<char>('0' + static_cast<int>(finding.effect)) +
                          (finding_ids_.size() < kMostFindings ? PatternOf(text) : "");
  const auto [found, is_new] =
      finding_ids_.try_emplace(key, static_cast<std::uint32_t>(findings_.size()));
  if (is_new) findings_.push_back({finding.policy, finding.effect, std::move(text)});
  return found->second;
}

std::uint32_t Survey::PolicyBit(std::string_view policy) {
  const auto found = std::ranges::find(policies_, policy);
  const auto number = static_cast<std::size_t>(found - policies_.begin());
  if (found == policies_.end()) policies_.push_back(policy);
  return std::uint32_t{1} << std::min<std::size_t>(number, 31);
}

std::vector<std::string_view> Survey::PoliciesIn(const Verdict& verdict) const {
  std::vector<std::string_view> policies;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if ((verdict.policies >> i & 1) != 0) policies.push_back(policies_[i]);
  }
  return policies;
}

std::uint64_t Survey::TopOf(std::uint64_t workload) const {
  for (int i = 0; i < kMostOwners; ++i) {
    const auto found = owners_.find(workload);
    if (found == owners_.end()) break;
    workload = found->second;
  }
  return workload;
}

}  // namespace berth::report
