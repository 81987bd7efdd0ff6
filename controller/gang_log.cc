#include "controller/gang_log.h"

#include <chrono>
#include <string>
#include <string_view>

#include "server/log.h"

namespace berth::controller {

namespace {

using planner::GangEvent;
using server::Log;
using server::LogLevel;

std::string_view WordsFor(GangEvent event) {
  switch (event) {
    case GangEvent::kCollecting:
      return "gang waits for its pods";
    case GangEvent::kWaiting:
      return "gang waits for room";
    case GangEvent::kPlanned:
      return "gang has a node for each pod";
    case GangEvent::kReleased:
      return "gang released";
    case GangEvent::kEvicted:
      return "gang evicted: it lacked some of its pods for too long";
    case GangEvent::kLeft:
      break;
  }
  return "no pod of the gang waits any more";
}

std::vector<std::string> SpansOf(const planner::GangChange& change) {
  std::vector<std::string> spans;
  for (const planner::GangSpan& span : change.spans) {
    spans.push_back(span.label + '=' + std::to_string(span.domains));
  }
  return spans;
}

}  // namespace

void LogGang(const planner::GangChange& change) {
  const std::string gang = change.namespace_ + '/' + change.name;
  const auto age =
      std::chrono::duration_cast<std::chrono::seconds>(change.time - change.created).count();
  const std::string_view words = WordsFor(change.event);
  if (change.event == GangEvent::kReleased) {
    return Log(LogLevel::kInfo, words,
               {{"gang", gang}, {"size", change.size}, {"age", age}, {"spans", SpansOf(change)}});
  }
  if (change.event == GangEvent::kLeft) {
    return Log(LogLevel::kInfo, words,
               {{"gang", gang}, {"size", change.size}, {"running", change.running}});
  }
  const bool evicted = change.event == GangEvent::kEvicted;
  Log(evicted ? LogLevel::kWarning : LogLevel::kInfo, words,
      {{"gang", gang}, {"size", change.size}, {"age", age}, {"reason", change.reason}});
}

}  // namespace berth::controller
