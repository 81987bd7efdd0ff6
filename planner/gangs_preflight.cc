// How gangs ask for their preflight.

#include <algorithm>
#include <utility>

#include "model/stable_hash.h"
#include "planner/gangs.h"

namespace berth::planner {

PreflightRequest Gangs::PreflightOf(const Record& gang, const Round& round) const {
  PreflightRequest request{.gang = gang.key(), .pace = pace_, .said = gang.gang().preflight};
  model::StableHash hash;
  hash.Add(request.gang);
  for (const Member& member : gang.members) {
    const std::string& name = member.pod->Node();
    hash.Add("\n").Add(member.pod->pod().uid).Add("\n").Add(name);
    const auto node = round.view.Find(name);
    if (!node || member.devices == 0) continue;
    auto place = std::ranges::find(request.places, name, &PreflightPlace::node);
    if (place == request.places.end()) {
      place = request.places.insert(
          place, {.node = name, .node_uid = round.view.At(*node)->node.uid, .requests = {}});
    }
    place->requests.Add(member.pod->pod().requests);
  }
  request.run = hash.value();
  return request;
}

bool Gangs::PassesPreflight(Record& gang, Round& round) {
  if (!round.gangs.preflight) return true;
  PreflightAnswer answer = round.gangs.preflight(PreflightOf(gang, round));
  if (answer.word == PreflightAnswer::Word::kGo) return true;
  if (answer.word == PreflightAnswer::Word::kWait) {
    // It has an end of its own.
    gang.holds_since = round.now;
    Enter(gang, GangPhase::kPlanned, std::move(answer.reason), round);
    return false;
  }
  rests_.OnFailed(gang.key(), answer.reason, round.now);
  WithdrawAll(gang, round);
  Enter(gang, GangPhase::kWaiting, rests_.Reason(gang.key(), round.now, round.time).value_or(""),
        round);
  return false;
}

}  // namespace berth::planner
