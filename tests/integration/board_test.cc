#include "board/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "model/accelerator.h"
#include "policies/scheduling/engine.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/server_client.h"

// The board in this process, where the test says what time it is.

namespace berth::tests {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;

constexpr model::Time kBegin{model::Duration{1'800'000'000}};

class BoardOverTime : public ::testing::Test {
 protected:
  void SetUp() override {
    api_.Put(NodeNamed("node-1"));
    auto catalog = model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    const auto shared = std::make_shared<const model::AcceleratorCatalog>(*std::move(catalog));
    const policies::scheduling::SchedulingConfig config;
    auto board =
        board::Board::Start({.api = api_.Config(),
                             .namespace_name = "",
                             .catalog = shared,
                             .engine = std::make_shared<policies::scheduling::SchedulingEngine>(
                                 shared, "berth.dev", config),
                             .shortlist = {},
                             .planner = {},
                             .probes = "",
                             .now = [this] { return now_.load(); }});
    ASSERT_TRUE(board.ok()) << board.status();
    board_ = *std::move(board);
  }

  static model::Node NodeNamed(const std::string& name) {
    model::Node node;
    node.name = name;
    node.labels = {{"nvidia.com/gpu.product", "NVIDIA-A30"}};
    node.capacity.Set("nvidia.com/gpu", 6);
    node.allocatable.Set("nvidia.com/gpu", 6);
    return node;
  }

  // Waits until what is asked for is as it should be. Returns the last answer.
  Json Await(const std::string& target, const std::function<bool(Json)>& is_so) const {
    const std::string url = board_->Url();
    const std::string before = "http://127.0.0.1:";
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(before.size())));
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
                                "Authorization: Bearer " + url.substr(url.find('#') + 1) +
                                "\r\n\r\n";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Json answer;
    do {
      RawClient client(port);
      client.Send(request);
      answer = Json::parse(client.ReadReply().body);
    } while (!is_so(answer) && std::chrono::steady_clock::now() < deadline);
    return answer;
  }

  // Whether the board cannot hear of the API server, once that is so.
  bool AwaitTrouble(bool is_wanted) const {
    const Json state = Await("/api/state", [&](Json answer) {
      return (answer["health"]["trouble"] != "") == is_wanted;
    });
    return state["health"]["trouble"] != "";
  }

  // The cluster changes, and the board looks at it. Returns whether it has.
  bool Look(const std::string& new_node) {
    api_.Put(NodeNamed(new_node));
    const auto is_there = [&](Json answer) {
      const Json names = answer["picture"]["nodes"]["name"];
      return std::find(names.begin(), names.end(), Json(new_node)) != names.end();
    };
    return is_there(Await("/api/state", is_there));
  }

  // How many devices were free in each of the last three hours; null where nothing is known.
  Json FreeByHour() const {
    Json history = Await("/api/history?seconds=10800&bars=3", [](const Json&) { return true; });
    return history["pools"][0]["free"];
  }

  FakeApiServer api_;
  std::atomic<model::Time> now_ = kBegin;
  std::unique_ptr<board::Board> board_;
};

// Nodes are still heard of here, so that the board looks at the cluster soon.
TEST_F(BoardOverTime, NothingIsKnownOfThePoolsWhileTheApiServerDoesNotAnswer) {
  ASSERT_TRUE(Look("node-2"));
  for (const FakeRequest request : {FakeRequest::kListPods, FakeRequest::kWatchPods}) {
    api_.FailAlways(request, {.kind = FakeFault::Kind::kStatus, .code = 503});
  }
  api_.EndWatches();
  ASSERT_TRUE(AwaitTrouble(true));
  now_ = kBegin + hours(1);
  ASSERT_TRUE(Look("node-3"));
  now_ = kBegin + hours(2);
  EXPECT_EQ(FreeByHour()[1], nullptr);

  api_.FailNoMore();
  // The watch of nodes has not been heard of for an hour, by a clock that has jumped.
  ASSERT_TRUE(Look("node-4"));
  ASSERT_FALSE(AwaitTrouble(false));
  ASSERT_TRUE(Look("node-5"));
  const Json free = FreeByHour();
  EXPECT_NE(free[0], nullptr) << "it was known before";
  EXPECT_EQ(free[1], nullptr);
  EXPECT_NE(free[2], nullptr) << "it is known again";
}

// A watch has died meanwhile perhaps, which nobody finds out at once: timers do not run while the
// machine sleeps.
TEST_F(BoardOverTime, WhatItShowsIsOldAfterTheMachineHasSlept) {
  ASSERT_TRUE(Look("node-2"));
  ASSERT_FALSE(AwaitTrouble(false));
  now_ = kBegin + hours(8);
  ASSERT_TRUE(AwaitTrouble(true));
  const Json health = Await("/api/state", [](const Json&) { return true; })["health"];
  EXPECT_EQ(health["heard"], kBegin.time_since_epoch().count());
  api_.EndWatches();
  EXPECT_FALSE(AwaitTrouble(false)) << "the API server answers";
}

}  // namespace
}  // namespace berth::tests
