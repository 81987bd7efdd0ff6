#pragma once

namespace berth::simulation {

/// What is broken on purpose, to see that the simulation finds it.
enum class Sabotage {
  kNone,
  kDropsUpserts,       // one of twenty changes gets lost
  kDropsDeletes,       // one of three
  kForgetsReplace,     // what vanished while nobody watched stays
  kRunsAhead,          // says that it has come one change further than it has
  kTrustsUnreadable,   // goes on with what it knew of an object that cannot be read any more
  kIgnoresConditions,  // admits nodes whatever their conditions
  kGivesUp,            // waits a hundred times as long after a failure
  kLeaks,              // keeps something of every object that ever was
};

}  // namespace berth::simulation
