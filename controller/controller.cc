#include "controller/controller.h"

#include <chrono>
#include <utility>

#include "model/annotation.h"

namespace berth::controller {

namespace {

// A request that takes longer succeeds sooner if it is given up and tried again. LeaderTransport
// sees to it that nothing is sent after the right to lead has ended.
kube::HttpTimeouts WriteTimeouts() {
  constexpr std::chrono::seconds kEach{3};
  return {.connect = kEach, .handshake = kEach, .write = kEach, .head = kEach};
}

std::unique_ptr<kube::Transport> Connect(const Controller::Options& options,
                                         kube::HttpTimeouts timeouts) {
  if (options.connect) return options.connect(timeouts);
  return std::make_unique<kube::HttpClient>(options.api, timeouts);
}

// Whether to know which kube-schedulers lead.
bool ReadsLeases(const planner::PlannerConfig& planner) {
  return PlansGangs(planner) && !planner.gangs.scheduler_leases.empty();
}

// Whether to know which PodGroups there are.
bool ReadsPodGroups(const planner::PlannerConfig& planner) {
  return PlansGangs(planner) && planner.gangs.pod_groups;
}

absl::Status GangsConfigured(const planner::PlannerConfig& planner) {
  if (planner.schedulers.empty()) {
    return absl::FailedPreconditionError(
        "the planner is off; name the kube-schedulers that call Berth in planner.schedulers");
  }
  if (planner.gangs.enabled) return absl::OkStatus();
  return absl::FailedPreconditionError("gangs are not planned; set planner.gangs.enabled: true");
}

kube::ListWatchOptions PendingPods(std::uint64_t seed) {
  return {.path = "/api/v1/pods", .field_selector = WaitingPods::kSelector, .seed = seed};
}

}  // namespace

Controller::Controller(const Options& options,
                       std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                       const cluster::Snapshot* snapshot, Observer* observer,
                       CertificateObserver* certificate_observer,
                       kube::ListWatchObserver* pending_observer, PlannerMetrics* planner_metrics,
                       checks::Metrics* check_metrics)
    : gangs_configured_(GangsConfigured(options.planner)),
      lease_client_(Connect(options, WriteTimeouts())),
      lease_store_(lease_client_.get(), options.lease_namespace, options.lease_name, &owner_),
      election_(ElectionOptions(options), &lease_store_, &election_timer_, observer),
      label_client_(Connect(options, WriteTimeouts())),
      label_transport_(WhileLeading(*label_client_)),
      label_patcher_(&label_transport_),
      labeler_(LabelerOptions(options), snapshot, &label_patcher_, &timer_, observer),
      taint_client_(Connect(options, WriteTimeouts())),
      taint_transport_(WhileLeading(*taint_client_)),
      taint_writer_(&taint_transport_, model::kExcludedTaint.Below(options.prefix)),
      tainter_(TainterOptions(options), snapshot, &taint_writer_, &timer_, observer),
      repair_client_(Connect(options, WriteTimeouts())),
      repair_transport_(WhileLeading(*repair_client_)),
      repair_patcher_(&repair_transport_),
      repair_labeler_(RepairOptions(options), snapshot, &repair_patcher_, &timer_, observer),
      event_client_(Connect(options, WriteTimeouts())),
      event_transport_(WhileLeading(*event_client_)),
      fault_teller_(TellerOptions(options), snapshot, &event_transport_, &timer_,
                    options.fault_metrics, observer),
      nudge_client_(Connect(options, WriteTimeouts())),
      nudge_transport_(WhileLeading(*nudge_client_)),
      nudge_patcher_(&nudge_transport_),
      nudger_(NudgerOptions(options), engine, snapshot, &nudge_patcher_, &timer_, observer),
      scheduler_lease_client_(ReadsLeases(options.planner) ? Connect(options, WriteTimeouts())
                                                           : nullptr),
      scheduler_leases_(ReadsLeases(options.planner) ? std::make_unique<SchedulerLeases>(
                                                           options.planner.gangs.scheduler_leases,
                                                           scheduler_lease_client_.get())
                                                     : nullptr),
      pod_group_client_(ReadsPodGroups(options.planner) ? Connect(options, WriteTimeouts())
                                                        : nullptr),
      pod_groups_(ReadsPodGroups(options.planner)
                      ? std::make_unique<PodGroupReader>(pod_group_client_.get(),
                                                         model::GangNames(options.prefix))
                      : nullptr),
      nominator_(NominatorOptions(options), engine, snapshot, &timer_, observer, planner_metrics),
      kept_client_(Connect(options, WriteTimeouts())),
      kept_transport_(WhileLeading(*kept_client_)),
      kept_patcher_(&kept_transport_),
      kept_writer_(KeptOptions(options), snapshot, &kept_patcher_, &timer_, observer),
      gate_client_(Connect(options, WriteTimeouts())),
      gate_transport_(WhileLeading(*gate_client_)),
      gate_patcher_(&gate_transport_),
      gate_remover_(GateOptions(options), &gate_patcher_, &timer_, observer),
      object_http_client_(Connect(options, WriteTimeouts())),
      object_transport_(WhileLeading(*object_http_client_)),
      object_client_(&object_transport_),
      owner_keeper_(OwnerOptions(options), &object_client_, &owner_, observer),
      certificate_keeper_(CertificateOptions(options), options.certificates, &object_client_,
                          &owner_keeper_, &owner_, &timer_, observer, certificate_observer),
      lost_pod_client_(Connect(options, WriteTimeouts())),
      lost_pod_transport_(WhileLeading(*lost_pod_client_)),
      lost_pod_deleter_(LostPodOptions(options), snapshot, &lost_pod_transport_, &timer_, observer),
      running_pods_(MakeRunningPods(options, snapshot, observer)),
      checks_(MakeCheckWork(options, std::move(engine), snapshot, check_metrics)),
      preflights_(MakePreflightWork(options)),
      idle_(MakeIdleWork(options, snapshot, observer)),
      waiting_pods_(WaitingHandlers(options)),
      pending_client_(Connect(options, {})),
      pending_(PendingPods(options.seed), pending_client_.get(), &pending_timer_, &waiting_pods_,
               pending_observer) {
  if (options.planner.schedulers.empty()) return;
  for (std::size_t i = 0; i < Nominator::kWriters; ++i) {
    auto client = Connect(options, WriteTimeouts());
    LeaderTransport transport = WhileLeading(*client);
    nomination_writers_.push_back(
        std::make_unique<NominationWriter>(std::move(client), std::move(transport)));
  }
}

Controller::~Controller() { Stop(); }

absl::Status Controller::GangsStatus() const {
  if (!gangs_configured_.ok() || Leads()) return gangs_configured_;
  const std::string leader = election_.OtherHolder();
  if (leader.empty()) {
    return absl::UnavailableError("no controller leads, so nobody plans gangs; try again");
  }
  return absl::UnavailableError("this controller does not lead, so it plans no gangs; ask " +
                                leader);
}

std::unique_ptr<Controller::CheckWork> Controller::MakeCheckWork(
    const Options& options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
    const cluster::Snapshot* snapshot, checks::Metrics* metrics) {
  if (options.active_checks.empty()) return nullptr;
  auto client = Connect(options, WriteTimeouts());
  LeaderTransport transport = WhileLeading(*client);
  auto work = std::make_unique<CheckWork>(std::move(client), std::move(transport));
  work->runner = std::make_unique<checks::Runner>(CheckOptions(options), std::move(engine),
                                                  snapshot, &work->transport, &timer_, metrics);
  return work;
}

std::unique_ptr<Controller::PreflightWork> Controller::MakePreflightWork(const Options& options) {
  if (!RunsPreflights(options.planner)) return nullptr;
  auto client = Connect(options, WriteTimeouts());
  LeaderTransport transport = WhileLeading(*client);
  auto work = std::make_unique<PreflightWork>(std::move(client), std::move(transport));
  work->runner = std::make_unique<PreflightRunner>(PreflightOptions(options), &work->transport,
                                                   &timer_, options.preflight_metrics);
  return work;
}

std::unique_ptr<Controller::IdleWork> Controller::MakeIdleWork(const Options& options,
                                                               const cluster::Snapshot* snapshot,
                                                               WriteObserver* observer) {
  if (!options.idle.enabled) return nullptr;
  auto prometheus = usage::Prometheus::Make(options.prometheus);
  // A valid configuration has a valid URL.
  if (!prometheus.ok()) return nullptr;
  auto client = Connect(options, WriteTimeouts());
  LeaderTransport transport = WhileLeading(*client);
  auto work =
      std::make_unique<IdleWork>(std::move(client), std::move(transport), *std::move(prometheus));
  work->pods = std::make_unique<IdlePods>(
      IdlePods::Options{.config = options.idle,
                        .idle = options.idle_rules,
                        .keep_annotation = model::kKeepIdleUntilAnnotation.Below(options.prefix),
                        .may_write = [this] { return Leads(); },
                        .now = options.now},
      snapshot, work->prometheus.get(), &work->transport, &timer_, observer, options.idle_metrics);
  return work;
}

std::vector<kube::ListWatchHandler<model::Pod>*> Controller::WaitingHandlers(
    const Options& options) {
  std::vector<kube::ListWatchHandler<model::Pod>*> handlers{&nudger_};
  if (!options.planner.schedulers.empty()) handlers.push_back(&nominator_);
  handlers.push_back(&gate_remover_);
  if (checks_ != nullptr) handlers.push_back(checks_->runner.get());
  return handlers;
}

LeaderElection::Options Controller::ElectionOptions(const Options& options) const {
  return {.identity = options.identity, .seed = options.seed, .wall_clock = [] {
            return std::chrono::system_clock::now();
          }};
}

NodeLabeler::Options Controller::LabelerOptions(const Options& options) const {
  return {.labels = NodeLabelNames(options.prefix), .may_write = [this] { return Leads(); }};
}

NodeTainter::Options Controller::TainterOptions(const Options& options) const {
  return {.rules = {.key = model::kExcludedTaint.Below(options.prefix),
                    .enabled = options.taints,
                    .health = options.health},
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

std::unique_ptr<RunningPods> Controller::MakeRunningPods(const Options& options,
                                                         const cluster::Snapshot* snapshot,
                                                         WriteObserver* observer) {
  if (options.evict.empty() && options.avoid_for.count() == 0) return nullptr;
  const auto leads = [this] { return Leads(); };
  return std::make_unique<RunningPods>(
      RunningPods::Options{
          .evictor = {.rules = {.evict = options.evict, .health = options.health},
                      .checkpoint_annotation = model::kCheckpointAnnotation.Below(options.prefix),
                      .runtime_annotation = model::kMaxRuntimeAnnotation.Below(options.prefix),
                      .gang_names = model::GangNames(options.prefix),
                      .may_write = leads,
                      .now = options.now},
          .avoid = {.avoid_for = options.avoid_for,
                    .annotation = model::kAvoidAnnotation.Below(options.prefix),
                    .may_write = leads,
                    .now = options.now},
          .to_write = [&options] { return Connect(options, WriteTimeouts()); },
          .to_watch = [&options] { return Connect(options, {}); },
          .while_leading = [this](kube::Transport& transport) { return WhileLeading(transport); },
          .seed = options.seed},
      snapshot, &timer_, observer, options.failed_observer);
}

RepairLabeler::Options Controller::RepairOptions(const Options& options) const {
  return {.rules = {.label = model::kRepairLabel.Below(options.prefix),
                    .enabled = options.repair.enabled,
                    .max_share = options.repair.max_share,
                    .health = options.health},
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

FaultTeller::Options Controller::TellerOptions(const Options& options) const {
  return {.health = options.health,
          .events = options.events,
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

Nudger::Options Controller::NudgerOptions(const Options& options) const {
  return {.annotation = model::kNudgedAtAnnotation.Below(options.prefix),
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

Nominator::Options Controller::NominatorOptions(const Options& options) {
  std::function<SchedulerTerm()> term;
  if (scheduler_leases_ != nullptr) term = [this] { return scheduler_leases_->Read(); };
  std::function<const PodGroupReader::Known&()> groups;
  if (pod_groups_ != nullptr) {
    groups = [this]() -> const PodGroupReader::Known& { return pod_groups_->Read(); };
  }
  planner::AskPreflight preflight;
  if (RunsPreflights(options.planner)) {
    preflight = [this](const planner::PreflightRequest& gang) {
      return preflights_->runner->Ask(gang);
    };
  }
  return {.planner = options.planner,
          .annotation = model::kPlanAnnotation.Below(options.prefix),
          .purpose_annotation = model::kPlanForAnnotation.Below(options.prefix),
          .lease_annotation = model::kPlanLeaseAnnotation.Below(options.prefix),
          .gang_names = model::GangNames(options.prefix),
          .may_write = [this] { return Leads(); },
          .scheduler_term = std::move(term),
          .pod_groups = std::move(groups),
          .preflight = std::move(preflight),
          .gang_feed = options.gang_feed,
          .kept_rooms = &kept_rooms_,
          .now = options.now};
}

KeptWriter::Options Controller::KeptOptions(const Options& options) const {
  // Where no gangs are planned, what an earlier configuration kept for them goes at once.
  std::function<std::optional<KeptByNode>()> kept = [] { return KeptByNode(); };
  if (PlansGangs(options.planner)) kept = [this] { return kept_rooms_.Get(); };
  return {.annotation = model::kKeptAnnotation.Below(options.prefix),
          .kept = std::move(kept),
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

GateRemover::Options Controller::GateOptions(const Options& options) const {
  if (PlansGangs(options.planner)) return {.may_write = [this] { return Leads(); }};
  return {.gangs = model::GangNames(options.prefix),
          .pod_groups = options.planner.gangs.pod_groups,
          .may_write = [this] { return Leads(); }};
}

OwnerKeeper::Options Controller::OwnerOptions(const Options& options) const {
  return {.namespace_name = options.lease_namespace,
          .config_map = options.owner,
          .leases = options.owned_leases,
          .may_write = [this] { return Leads(); }};
}

CertificateKeeper::Options Controller::CertificateOptions(const Options& options) const {
  return {.namespace_name = options.lease_namespace,
          .prefix = options.prefix,
          .may_write = [this] { return Leads(); },
          .now = options.now,
          .seed = options.seed};
}

LostPodDeleter::Options Controller::LostPodOptions(const Options& options) const {
  return {.config = options.lost_nodes,
          .applied_annotation = model::kAppliedAnnotation.Below(options.prefix),
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

checks::Runner::Options Controller::CheckOptions(const Options& options) const {
  return {.checks = options.active_checks,
          .pods = options.check_pods,
          .names = {.prefix = options.prefix, .namespace_name = options.lease_namespace},
          .owner = [this] { return owner_.Get(); },
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

PreflightRunner::Options Controller::PreflightOptions(const Options& options) const {
  return {.config = options.planner.gangs.preflight,
          .pods = options.check_pods,
          .names = {.prefix = options.prefix, .namespace_name = options.lease_namespace},
          .owner = [this] { return owner_.Get(); },
          .may_write = [this] { return Leads(); },
          .now = options.now};
}

LeaderTransport Controller::WhileLeading(kube::Transport& transport) const {
  return {&transport, [this] { return election_.LeadsUntil(); }};
}

void Controller::Start() {
  election_thread_ = std::thread([this] { election_.Run(); });
  threads_.emplace_back([this] { labeler_.Run(); });
  threads_.emplace_back([this] { tainter_.Run(); });
  threads_.emplace_back([this] { repair_labeler_.Run(); });
  threads_.emplace_back([this] { fault_teller_.Run(); });
  threads_.emplace_back([this] { nudger_.Run(); });
  threads_.emplace_back([this] { gate_remover_.Run(); });
  threads_.emplace_back([this] { nominator_.Run(); });
  for (const auto& writer : nomination_writers_) {
    threads_.emplace_back([this, &writer] { nominator_.RunWriter(&writer->patcher); });
  }
  threads_.emplace_back([this] { kept_writer_.Run(); });
  threads_.emplace_back([this] { certificate_keeper_.Run(); });
  threads_.emplace_back([this] { lost_pod_deleter_.Run(); });
  if (checks_ != nullptr) {
    threads_.emplace_back([this] { checks_->runner->Run(); });
  }
  if (preflights_ != nullptr) {
    threads_.emplace_back([this] { preflights_->runner->Run(); });
  }
  if (running_pods_ != nullptr) running_pods_->Start(threads_);
  if (idle_ != nullptr) {
    threads_.emplace_back([this] { idle_->pods->Run(); });
  }
  threads_.emplace_back([this] { pending_.Run(); });
}

void Controller::Stop() {
  timer_.Stop();
  label_client_->Stop();
  taint_client_->Stop();
  repair_client_->Stop();
  event_client_->Stop();
  nudge_client_->Stop();
  gate_client_->Stop();
  if (scheduler_lease_client_ != nullptr) scheduler_lease_client_->Stop();
  if (pod_group_client_ != nullptr) pod_group_client_->Stop();
  nominator_.Stop();
  for (const auto& writer : nomination_writers_) writer->client->Stop();
  kept_client_->Stop();
  object_http_client_->Stop();
  lost_pod_client_->Stop();
  if (running_pods_ != nullptr) running_pods_->Stop();
  if (checks_ != nullptr) checks_->client->Stop();
  if (preflights_ != nullptr) preflights_->client->Stop();
  if (idle_ != nullptr) {
    idle_->client->Stop();
    idle_->prometheus->Stop();
  }
  pending_.Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  election_.Stop();
  if (!election_thread_.joinable()) return;
  election_thread_.join();
  election_.Release();
}

}  // namespace berth::controller
