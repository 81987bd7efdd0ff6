#include "tests/simulation/gang_jobs.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "fmt/format.h"
#include "model/gang.h"
#include "tests/simulation/cluster_life.h"

namespace berth::simulation {
namespace {

using std::chrono::seconds;

constexpr char kLost[] = "GPUIsLost";
constexpr char kRack[] = "rack";
constexpr char kMaxRuntime[] = "berth.dev/max-runtime";
// A pod that says how long it runs says so much more than it does: kube-scheduler may take its time
// to try it, and others hear of its end later.
constexpr seconds kSpare{30};
constexpr std::size_t kMaxJobs = 10;
constexpr Time kNever{-1};

const model::GangNames& Names() {
  static const model::GangNames names("berth.dev");
  return names;
}

void SetLost(model::Node& node, bool lost, model::Time now) {
  node.conditions = {
      {.type = kLost,
       .status = lost ? model::ConditionStatus::kTrue : model::ConditionStatus::kFalse,
       .last_transition = now,
       .last_heartbeat = now}};
}

}  // namespace

std::string GangKeyOf(const model::Pod& pod) {
  const auto name = model::Find(pod.annotations, Names().name);
  return name ? pod.namespace_ + '/' + std::string(*name) : "";
}

std::size_t GangSizeOf(const model::Pod& pod) {
  const auto size = model::Find(pod.annotations, Names().size);
  return size ? std::stoul(std::string(*size)) : 0;
}

bool GangJobs::IsBroken(const model::Node& node) {
  return std::ranges::any_of(node.conditions, [](const model::Condition& condition) {
    return condition.type == kLost && condition.status == model::ConditionStatus::kTrue;
  });
}

model::Time GangJobs::Now() const { return timeline_->api_time(); }

std::string GangJobs::PodOf(const std::string& job, std::size_t index) {
  return fmt::format("{}/{}-{}", kNamespace, job, index);
}

void GangJobs::Begin() {
  BeginEmpty(3, 8);
  for (int jobs = chance_->Between(1, 4); jobs > 0; --jobs) Create(chance_->Percent(70));
}

std::size_t GangJobs::BeginEmpty(int least, int most) {
  nodes_ = static_cast<std::size_t>(chance_->Between(least, most));
  for (std::size_t i = 0; i < nodes_; ++i) {
    model::Node node{.name = "n" + std::to_string(i), .uid = "node-" + std::to_string(i)};
    node.labels = {{kProductLabel, "NVIDIA-A30"}, {kRack, "r" + std::to_string(i / 3)}};
    model::Normalize(node.labels);
    for (auto* resources : {&node.capacity, &node.allocatable}) {
      resources->Set(kGpu, kDevicesOfNode);
      resources->Set("pods", 110);
      resources->Set("cpu", 100'000);
    }
    SetLost(node, false, Now());
    server_->Put(std::move(node));
  }
  return nodes_;
}

void GangJobs::Change() {
  const int ticket = chance_->Below(10);
  if (ticket < 3) return Create(true);
  if (ticket < 6) return Create(false);
  if (ticket < 8) return BreakNode();
  DeletePod();
}

void GangJobs::CalmDown() {
  for (const auto& [name, node] : Contents<model::Node>(server_->Of<model::Node>().now())) {
    Recover(name);
  }
}

void GangJobs::Create(bool gang) {
  if (jobs_.size() >= kMaxJobs) return;
  Job job{.gang = gang,
          .priority = chance_->Percent(70) ? 0 : chance_->Between(0, 2),
          .runs = seconds(chance_->Between(5, 60))};
  job.devices = gang && chance_->Percent(50) ? kDevicesOfNode : chance_->Between(1, 4);
  // Up to all devices that there are, so that any gang fits alone.
  const auto most = nodes_ * static_cast<std::size_t>(kDevicesOfNode / job.devices);
  if (gang)
    job.size = static_cast<std::size_t>(
        chance_->Between(2, static_cast<int>(std::min<std::size_t>(most, 10))));
  const bool has_master = gang && kinds_.masters && chance_->Percent(50);
  job.first = has_master ? FirstBeside(job) : job.devices;
  job.grouped = gang && IsGrouped();
  job.backs_off = gang && chance_->Percent(30);
  // A rack may have one node alone.
  if (gang && job.sum() <= kDevicesOfNode && chance_->Percent(30)) {
    job.annotations.emplace_back(Names().topology, kRack);
  }
  Add(std::move(job));
}

std::int64_t GangJobs::FirstBeside(const Job& job) {
  // If the others need no more nodes than there are beside its own, it may have all of that one.
  const std::size_t others = (nodes_ - 1) * static_cast<std::size_t>(kDevicesOfNode / job.devices);
  const std::int64_t most = job.size - 1 <= others ? kDevicesOfNode : job.devices;
  return chance_->Between(0, static_cast<int>(most));
}

void GangJobs::AddSingles(std::int64_t beyond) {
  std::int64_t wanted = static_cast<std::int64_t>(nodes_) * kDevicesOfNode + beyond;
  for (const auto& [name, job] : jobs_) wanted -= job.gang ? 0 : job.sum();
  while (wanted > 0) {
    const auto longest = static_cast<int>(kLongestSingle.count() / 1000);
    Job job{.runs = seconds(chance_->Between(5, longest))};
    job.devices = job.first = chance_->Between(1, 4);
    if (chance_->Percent(20)) {
      const auto runs = std::chrono::duration_cast<seconds>(job.runs) + kSpare;
      job.annotations.emplace_back(kMaxRuntime, fmt::format("{}s", runs.count()));
    }
    wanted -= job.sum();
    Add(std::move(job));
  }
}

std::string GangJobs::AddGang(std::size_t nodes) {
  // Pods that fill a node, alone or with others like them.
  const std::int64_t devices = std::int64_t{2} << chance_->Between(0, 2);
  const auto of_node = static_cast<std::size_t>(kDevicesOfNode / devices);
  Job job{.gang = true, .size = nodes * of_node, .runs = seconds(chance_->Between(5, 20))};
  job.devices = job.first = devices;
  if (kinds_.masters && chance_->Percent(50)) {
    job.first = chance_->Between(0, static_cast<int>(devices));
  }
  job.grouped = IsGrouped();
  return Add(std::move(job));
}

std::string GangJobs::Add(Job job) {
  const std::string name = fmt::format("{}{}", job.gang ? "gang" : "single", created_++);
  trace_->Write("Job {}: {} pods of {} devices, the first one of {}, priority {}", name, job.size,
                job.devices, job.first, job.priority);
  Job& stored = jobs_.emplace(name, std::move(job)).first->second;
  for (std::size_t index = 0; index < stored.size; ++index) {
    // The Job controller makes its pods one after the other.
    stored.due[index] = timeline_->now() + Time(chance_->Between(0, 2000));
  }
  return name;
}

bool GangJobs::IsComplete(const std::string& name) const {
  const auto job = jobs_.find(name);
  return job == jobs_.end() || job->second.complete != kNever;
}

void GangJobs::CreatePod(const std::string& name, Job& job, std::size_t index) {
  model::Pod pod{.namespace_ = kNamespace,
                 .name = fmt::format("{}-{}", name, index),
                 .uid = fmt::format("pod-{}", uids_++),
                 .annotations = job.annotations,
                 .scheduler = "berth",
                 .created = Now(),
                 .priority = job.priority};
  if (job.DevicesOf(index) > 0) pod.requests.Set(kGpu, job.DevicesOf(index));
  if (job.gang) {
    pod.annotations.emplace_back(Names().name, name);
    pod.annotations.emplace_back(Names().size, std::to_string(job.size));
    pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index", std::to_string(index));
    if (job.grouped) {
      pod.scheduling_group = model::PodGroupNameOf(name);
    } else {
      pod.gates = {kGangGate};
      pod.gated = true;
    }
  }
  model::Normalize(pod.annotations);
  server_->Put(std::move(pod));
}

void GangJobs::DeletePod() {
  const auto& pods = server_->Of<model::Pod>().now();
  if (pods.empty()) return;
  const auto pod = std::next(pods.begin(), chance_->Below(static_cast<int>(pods.size())));
  if (pod->second->value.terminated) return;
  const std::string key = pod->first;
  trace_->Write("{} is deleted", key);
  server_->Delete<model::Pod>(key);
}

void GangJobs::BreakNode() {
  const auto& nodes = server_->Of<model::Node>().now();
  const auto chosen = std::next(nodes.begin(), chance_->Below(static_cast<int>(nodes.size())));
  model::Node node = chosen->second->value;
  if (IsBroken(node)) return Recover(node.name);
  trace_->Write("{} breaks", node.name);
  SetLost(node, true, Now());
  const std::string name = node.name;
  server_->Put(std::move(node));
  // Some of what runs there fails with it.
  for (const auto& [key, pod] : Contents<model::Pod>(server_->Of<model::Pod>().now())) {
    if (pod->value.node_name != name || pod->value.terminated || chance_->Percent(50)) continue;
    trace_->Write("{} fails", key);
    server_->Delete<model::Pod>(key);
  }
}

void GangJobs::Recover(const std::string& name) {
  model::Node node = server_->Of<model::Node>().Find(name)->value;
  if (!IsBroken(node)) return;
  trace_->Write("{} recovers", name);
  SetLost(node, false, Now());
  server_->Put(std::move(node));
}

void GangJobs::Work() {
  for (auto& [name, job] : jobs_) {
    if (!job.ended) Watch(name, job);
  }
  // As ttlSecondsAfterFinished does.
  std::erase_if(jobs_, [](const auto& job) { return job.second.ended; });
}

void GangJobs::Watch(const std::string& name, Job& job) {
  const Time now = timeline_->now();
  std::size_t bound = 0;
  for (std::size_t index = 0; index < job.size; ++index) {
    const auto pod = server_->Of<model::Pod>().Find(PodOf(name, index));
    if (pod != nullptr) {
      job.due.erase(index);
      bound += pod->value.node_name.empty() ? 0 : 1;
      continue;
    }
    const auto [due, is_new] = job.due.try_emplace(index, now);
    if (is_new) due->second += WaitBefore(PodOf(name, index), job);
    if (!is_new && due->second <= now) CreatePod(name, job, index);
  }
  const auto keep = [now](bool holds, Time& since) {
    if (!holds) since = kNever;
    if (holds && since == kNever) since = now;
  };
  keep(bound == job.size, job.complete);
  keep(bound > 0 && bound < job.size, job.partly);
  if (job.complete != kNever && now - job.complete >= job.runs) End(name, job);
}

Time GangJobs::WaitBefore(const std::string& pod, const Job& job) {
  // The Job controller waits for 10 s before it replaces a pod that has failed, and longer where
  // many have.
  const bool is_evicted = server_->TakeEvicted(pod);
  return Time(chance_->Between(0, is_evicted && job.backs_off ? 300'000 : 12'000));
}

void GangJobs::End(const std::string& name, Job& job) {
  trace_->Write("Job {} has ended", name);
  job.ended = true;
  for (std::size_t index = 0; index < job.size; ++index) {
    const std::string key = PodOf(name, index);
    model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
    pod.terminated = true;
    server_->Put(std::move(pod));
    timeline_->After(seconds(5), [this, key] {
      const auto stored = server_->Of<model::Pod>().Find(key);
      if (stored != nullptr && stored->value.terminated) server_->Delete<model::Pod>(key);
    });
  }
}

bool GangJobs::AllEnded() const { return jobs_.empty(); }

std::string GangJobs::Left() const {
  std::string text;
  for (const auto& [name, job] : jobs_) {
    text += fmt::format("\n  {} of {} pods of {} devices, the first one of {}:", name, job.size,
                        job.devices, job.first);
    for (std::size_t index = 0; index < job.size; ++index) {
      const auto pod = server_->Of<model::Pod>().Find(PodOf(name, index));
      if (pod == nullptr) {
        text += " -";
        continue;
      }
      const model::Pod& value = pod->value;
      text += fmt::format(" [{}{}{}{}]", value.gated ? "gated " : "",
                          value.scheduling_group.empty() ? "" : "grouped ",
                          value.node_name.empty() ? "" : "on " + value.node_name,
                          value.nominated_node.empty() ? "" : "for " + value.nominated_node);
    }
  }
  return text;
}

std::vector<GangJobs::Partly> GangJobs::PartlyRunning() const {
  std::vector<Partly> partly;
  for (const auto& [name, job] : jobs_) {
    if (job.gang && job.partly != kNever) partly.push_back({name, job.partly});
  }
  return partly;
}

}  // namespace berth::simulation
