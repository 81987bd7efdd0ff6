#include "tests/integration/fake_store.h"

namespace berth::tests {

void FakeStore::Put(const std::string& key, const std::string& object, bool selected,
                    std::uint64_t version) {
  if (!selected) {
    Delete(key, object, version);
    return;
  }
  const std::lock_guard guard(mutex_);
  const bool added = objects_.insert_or_assign(key, object).second;
  events_.push_back({version, added ? "ADDED" : "MODIFIED", object});
  version_ = version;
}

std::optional<std::string> FakeStore::Find(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return std::nullopt;
  return found->second;
}

void FakeStore::Delete(const std::string& key, const std::string& object, std::uint64_t version) {
  const std::lock_guard guard(mutex_);
  if (objects_.erase(key) == 0) return;
  events_.push_back({version, "DELETED", object});
  version_ = version;
}

FakeStore::Page FakeStore::List(const std::string& first_key, std::size_t limit) const {
  const std::lock_guard guard(mutex_);
  Page page{.objects = {}, .version = version_, .next_key = ""};
  for (auto object = objects_.lower_bound(first_key); object != objects_.end(); ++object) {
    if (page.objects.size() == limit) {
      page.next_key = object->first;
      break;
    }
    page.objects.push_back(object->second);
  }
  return page;
}

std::optional<std::vector<FakeEvent>> FakeStore::EventsAfter(std::uint64_t version) const {
  const std::lock_guard guard(mutex_);
  if (version < compacted_) return std::nullopt;
  std::vector<FakeEvent> events;
  for (const FakeEvent& event : events_) {
    if (event.version > version) events.push_back(event);
  }
  return events;
}

bool FakeStore::Remembers(std::uint64_t version) const {
  const std::lock_guard guard(mutex_);
  return version >= compacted_;
}

void FakeStore::Compact() {
  const std::lock_guard guard(mutex_);
  events_.clear();
  compacted_ = version_;
}

}  // namespace berth::tests
