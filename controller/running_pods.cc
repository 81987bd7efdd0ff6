#include "controller/running_pods.h"

namespace berth::controller {

RunningPods::RunningPods(const Options& options, const cluster::Snapshot* snapshot,
                         kube::Timer* timer, WriteObserver* observer,
                         kube::ListWatchObserver* failed_observer)
    : avoids_(options.avoid.avoid_for.count() > 0),
      evict_client_(options.to_write()),
      evict_transport_(options.while_leading(*evict_client_)),
      evictor_(options.evictor, snapshot, &evict_transport_, timer, observer),
      avoid_client_(options.to_write()),
      avoid_transport_(options.while_leading(*avoid_client_)),
      avoid_patcher_(&avoid_transport_),
      avoid_writer_(options.avoid, snapshot, &avoid_patcher_, timer, observer),
      failed_client_(options.to_watch()),
      failed_(
          {.path = "/api/v1/pods", .field_selector = AvoidWriter::kSelector, .seed = options.seed},
          failed_client_.get(), &failed_timer_, &avoid_writer_, failed_observer) {}

void RunningPods::Start(std::vector<std::thread>& threads) {
  threads.emplace_back([this] { evictor_.Run(); });
  threads.emplace_back([this] { avoid_writer_.Run(); });
  if (avoids_) threads.emplace_back([this] { failed_.Run(); });
}

void RunningPods::Stop() {
  evict_client_->Stop();
  avoid_client_->Stop();
  failed_.Stop();
}

}  // namespace berth::controller
