#pragma once

#include <chrono>
#include <string>

#include "tests/simulation/chance.h"
#include "tests/simulation/timeline.h"

namespace berth::simulation {

/// What goes wrong with one request. All of it happens to clients of a real API server. A watch
/// from a revision tells every later change in their order.
enum class Mishap {
  kNone,
  kReset,       // the connection ends before a reply
  kSilence,     // no reply
  kStatus,      // the reply has another status than 200
  kHtml,        // a proxy's page instead of the reply, with status 200
  kGarbage,     // a body, or a frame of a watch, that is not protobuf
  kCut,         // the connection ends within the page, or within the watch's next frame
  kStall,       // the connection stands, and nothing comes any more
  kEnd,         // a watch ends in good order long before its time
  kErrorEvent,  // a watch tells an error
};

struct Fate {
  Mishap mishap = Mishap::kNone;
  int code = 0;
  std::string reason{};
  int retry_after_seconds = 0;
  /// Of a watch: not before this time has passed.
  Time after{0};
};

/// How bad everything is between clients and the API server.
class Weather {
 public:
  /// `mishaps`: of so many requests in a hundred.
  Weather(Chance* chance, int mishaps) : chance_(chance), mishaps_(mishaps) {}

  Fate Draw(bool watch);

  /// Of a request, or of one event on its way.
  Time Latency();

  /// Whether an event is told twice in a row, which no API server does: readers need not rely on
  /// it.
  bool Repeats() { return !calm_ && chance_->Percent(2); }

  /// Whether a body arrives in two pieces.
  bool Splits() { return chance_->Percent(10); }
  Chance& chance() { return *chance_; }

  bool calm() const { return calm_; }
  void CalmDown() { calm_ = true; }

 private:
  Fate DrawStatus();
  int DrawRetryAfter();

  Chance* const chance_;
  const int mishaps_;
  bool calm_ = false;
};

}  // namespace berth::simulation
