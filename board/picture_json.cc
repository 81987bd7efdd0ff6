#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "board/devices.h"
#include "board/json_text.h"
#include "board/picture.h"

// What Picture tells the page.

namespace berth::board {

namespace {

using Json = nlohmann::json;
using WordNumbers = std::unordered_map<std::string, std::uint32_t>;
using DatedWords = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr const char* kNodeColumns[] = {"id",    "name", "pool",   "rack", "status",  "reason",
                                        "since", "free", "broken", "held", "planned", "perCell"};

// Without a decimal point unless there are parts of a device.
Json JsonOfDevices(double devices) {
  const auto whole = static_cast<std::int64_t>(devices);
  return static_cast<double>(whole) < devices ? Json(devices) : Json(whole);
}

// A list of numbers: the owner's word and the devices, again and again.
Json FlatShares(const std::vector<Share>& shares, const WordNumbers& words) {
  Json flat = Json::array();
  for (const auto& [owner, devices] : shares) {
    flat.push_back(words.at(owner));
    flat.push_back(JsonOfDevices(devices));
  }
  return flat;
}

// Columns, because an object for each of 7,500 nodes would repeat all names.
class NodeColumns {
 public:
  explicit NodeColumns(const WordNumbers& words) : words_(&words) {
    for (const char* name : kNodeColumns) columns_[name] = Json::array();
  }

  void Add(std::size_t id, const NodeRow& row) {
    ++size_;
    Put("id", id);
    Put("name", row.name);
    Put("pool", words_->at(row.pool));
    Put("rack", words_->at(row.rack));
    Put("status", static_cast<int>(row.status));
    Put("reason", words_->at(row.reason));
    Put("since", row.since.time_since_epoch().count());
    Put("free", row.free);
    Put("broken", row.broken);
    Put("held", FlatShares(row.held, *words_));
    Put("planned", FlatShares(row.planned, *words_));
    Put("perCell", DevicesPerCell(row));
  }

  std::size_t size() const { return size_; }
  Json Take() { return std::move(columns_); }

 private:
  void Put(const char* column, Json value) { columns_[column].push_back(std::move(value)); }

  const WordNumbers* words_;
  std::size_t size_ = 0;
  Json columns_ = Json::object();
};

// The texts that were added after `since`, and how many there were before.
Json NewWords(const DatedWords& words, std::uint64_t since) {
  std::size_t first = words.size();
  while (first > 0 && words[first - 1].second > since) --first;
  Json added = Json::array();
  for (std::size_t i = first; i < words.size(); ++i) added.push_back(words[i].first);
  return {{"from", first}, {"add", std::move(added)}};
}

Json JsonOfPools(const std::map<std::string, PoolTotals>& pools) {
  Json json = Json::array();
  for (const auto& [name, pool] : pools) {
    json.push_back({{"name", name},
                    {"nodes", pool.nodes},
                    {"badNodes", pool.bad_nodes},
                    {"held", pool.held},
                    {"planned", pool.planned},
                    {"free", pool.free},
                    {"broken", pool.broken}});
  }
  return json;
}

Json JsonOfWaitingRow(const WaitingRow& row) {
  return {{"namespace", row.namespace_name},
          {"pod", row.pod},
          {"gang", row.gang},
          {"owner", row.owner},
          {"priority", row.priority},
          {"created", row.created.time_since_epoch().count()},
          {"devices", row.devices},
          {"resource", row.resource},
          {"models", row.models},
          {"pods", row.pods},
          {"size", row.size},
          {"planned", row.planned},
          {"node", row.node},
          {"heldBack", row.is_held_back},
          {"why", row.why}};
}

Json JsonOfWaiting(const std::vector<WaitingRow>& waiting) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < waiting.size() && i < Picture::kMostWaiting; ++i) {
    rows.push_back(JsonOfWaitingRow(waiting[i]));
  }
  return {{"total", waiting.size()}, {"rows", std::move(rows)}};
}

}  // namespace

std::vector<std::string> Picture::Encode(std::uint64_t since, std::size_t most_nodes) const {
  // To whoever was told before, numbers of texts mean something else.
  if (since < words_revision_) since = 0;
  std::vector<std::string> parts;
  NodeColumns nodes(words_);
  Json gone = Json::array();
  Json words = NewWords(word_list_, since);
  const auto part = [&](bool more) {
    return Json{{"revision", revision_},
                {"since", since},
                {"first", parts.empty()},
                {"more", more},
                {"noDevice", kNoDevice},
                {"words", std::exchange(words, NewWords(word_list_, revision_))},
                {"nodes", std::exchange(nodes, NodeColumns(words_)).Take()}};
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].revision <= since) continue;
    if (nodes.size() == most_nodes) parts.push_back(TextOf(part(/*more=*/true)));
    slots_[i].row ? nodes.Add(i, *slots_[i].row) : gone.push_back(i);
  }
  Json last = part(/*more=*/false);
  last["gone"] = std::move(gone);
  if (pools_revision_ > since || since == 0) last["pools"] = JsonOfPools(pools_);
  if (waiting_revision_ > since || since == 0) last["waiting"] = JsonOfWaiting(waiting_);
  parts.push_back(TextOf(last));
  return parts;
}

}  // namespace berth::board
