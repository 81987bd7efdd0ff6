#include "tests/simulation/berth_process.h"

#include <chrono>
#include <utility>

#include "controller/node_label.h"
#include "policies/scheduling/config.h"
#include "tests/unit/heap_meter.h"

namespace berth::simulation {
namespace {

std::shared_ptr<const policies::scheduling::SchedulingEngine> EngineOf(
    const policies::scheduling::SchedulingConfig& config) {
  return std::make_shared<const policies::scheduling::SchedulingEngine>(DefaultCatalog(),
                                                                        "berth.dev", config);
}

// One that knows no conditions.
std::shared_ptr<const policies::scheduling::SchedulingEngine> CarelessEngine() {
  static const auto engine = [] {
    policies::scheduling::SchedulingConfig config;
    using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
    std::get<Health>(config.policies.all).config.profiles.clear();
    return EngineOf(config);
  }();
  return engine;
}

// As kube::HttpTimeouts has it for the head of a reply, and for silence within a list.
constexpr Time kHeadTimeout = std::chrono::seconds(30);

kube::ListWatchOptions ListWatchOptionsOf(const BerthProcess::Options& options, std::string path,
                                          std::string selector = "") {
  return {.path = std::move(path),
          .field_selector = std::move(selector),
          .page_size = options.page_size,
          .watch_list = options.watch_list,
          .seed = options.seed};
}

}  // namespace

std::shared_ptr<const model::AcceleratorCatalog> DefaultCatalog() {
  static const auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  return catalog;
}

std::shared_ptr<const policies::scheduling::SchedulingEngine> DefaultEngine() {
  static const auto engine = [] {
    policies::scheduling::SchedulingConfig config;
    using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
    std::get<Health>(config.policies.all).config.keep_for = model::Duration(0);
    return EngineOf(config);
  }();
  return engine;
}

template <typename T>
BerthProcess::Channel<T>::Channel(const std::string& name, const Surroundings& surroundings,
                                  const Options& options, kube::ListWatchOptions list_watch_options,
                                  cluster::Snapshot* snapshot, std::function<void()> told)
    : observer(surroundings.trace),
      task(surroundings.timeline, [this] { list_watch.Run(); }),
      timer(surroundings.timeline, &task),
      link(name, kHeadTimeout, surroundings, &task),
      tap(snapshot, &timer, options.sabotage, &surroundings.weather->chance(), surroundings.trace,
          std::move(told)),
      list_watch(std::move(list_watch_options), &link, &timer, &tap, &observer) {
  if (options.sabotage == Sabotage::kGivesUp) timer.SlowDown(100);
}

template <typename T>
void BerthProcess::Channel<T>::End() {
  list_watch.Stop();
  task.Finish();
}

BerthProcess::BerthProcess(const Surroundings& surroundings, const Options& options,
                           std::function<void()> told)
    : snapshot_(std::make_unique<cluster::Snapshot>(
          cluster::Snapshot::Options{.catalog = DefaultCatalog(),
                                     .labels = controller::NodeLabelNames("berth.dev").all(),
                                     .node_uids = true,
                                     .whole_pods = options.for_planner,
                                     .gang_prefix = options.for_planner ? "berth.dev" : ""})),
      placer_(options.sabotage == Sabotage::kIgnoresConditions ? CarelessEngine() : DefaultEngine(),
              *snapshot_, metrics_, {&listener_},
              {.size = options.shortlist, .default_spreading = false}),
      nodes_("nodes", surroundings, options, ListWatchOptionsOf(options, "/api/v1/nodes"),
             snapshot_.get(), told),
      pods_("pods", surroundings, options,
            ListWatchOptionsOf(options, "/api/v1/pods", cluster::Feed::kPodSelector),
            snapshot_.get(), told),
      services_("services", surroundings, options, ListWatchOptionsOf(options, "/api/v1/services"),
                snapshot_.get(), told) {}

BerthProcess::~BerthProcess() {
  if (snapshot_ != nullptr) End();
}

std::size_t BerthProcess::End() {
  nodes_.End();
  pods_.End();
  services_.End();
  const std::size_t before = tests::LiveBytes();
  snapshot_.reset();
  return before - tests::LiveBytes();
}

BerthProcess::Answer BerthProcess::Ask(const model::Pod& pod, const std::vector<std::string>& names,
                                       model::Time now) {
  extender::ExtenderArgs args{.pod = pod, .node_names = {names.begin(), names.end()}};
  Answer answer{.result = placer_.Filter(args, now), .ranks = {}, .decision = {}};
  if (answer.result.node_names.size() > 1) {
    args.node_names = answer.result.node_names;
    answer.ranks = placer_.Prioritize(args, now);
  }
  answer.decision = listener_.last;
  return answer;
}

}  // namespace berth::simulation
