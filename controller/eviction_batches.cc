#include "controller/eviction_batches.h"

#include <algorithm>

namespace berth::controller {

absl::Status EvictionBatches::Evict(const std::vector<RunningPod>& pods, bool dry_run,
                                    std::unique_lock<std::mutex>& lock, Patcher& patcher) {
  Batch batch{.pods = pods, .dry_run = dry_run};
  batches_.push_back(&batch);
  changed_->notify_all();
  while (batch.HasNext() || batch.writers > 0) {
    if (batch.HasNext()) {
      EvictNext(batch, lock, patcher);
    } else {
      changed_->wait(lock);
    }
  }
  std::erase(batches_, &batch);
  return batch.status;
}

bool EvictionBatches::Help(std::unique_lock<std::mutex>& lock, Patcher& patcher) {
  std::size_t writers = 0;
  for (const Batch* batch : batches_) writers += batch->writers;
  if (writers >= most_) return false;
  const auto found = std::ranges::find_if(batches_, &Batch::HasNext);
  if (found == batches_.end()) return false;
  EvictNext(**found, lock, patcher);
  return true;
}

void EvictionBatches::EvictNext(Batch& batch, std::unique_lock<std::mutex>& lock,
                                Patcher& patcher) {
  const model::Pod& pod = batch.pods[batch.next++].pod;
  ++batch.writers;
  lock.unlock();
  const absl::Status status = patcher.EvictPod(pod, batch.dry_run);
  lock.lock();
  --batch.writers;
  batch.status.Update(status);
  // Who waits for the whole batch may be the next.
  if (!batch.HasNext()) changed_->notify_all();
}

}  // namespace berth::controller
