#include "extender/decision_log.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "server/log.h"

namespace berth::extender {

namespace {

using server::Log;
using server::LogLevel;

constexpr std::chrono::milliseconds kDecisionLineInterval{100};
constexpr int kBurst = 50;

std::vector<std::string> TopOf(const Decision& decision) {
  std::vector<std::string> top;
  for (const RankedNode& node : decision.top) {
    top.push_back(fmt::format("{} rank {} score {}", node.name, node.rank, node.score));
  }
  return top;
}

std::vector<std::string> RefusalsOf(const Decision& decision) {
  std::vector<std::string> refusals;
  for (const RefusalCount& refused : decision.refused) {
    refusals.push_back(fmt::format("{} {}", refused.nodes, refused.reason));
  }
  return refusals;
}

}  // namespace

DecisionLog::DecisionLog() : lines_(kDecisionLineInterval, kBurst) {}

bool DecisionLog::Wants() {
  const auto held_back = lines_.Admit();
  if (held_back) held_back_ += *held_back;
  return held_back.has_value();
}

void DecisionLog::OnDecision(const Decision& decision) {
  Log(LogLevel::kInfo, decision.fitting > 0 ? "placement" : "no placement",
      {{"pod", decision.pod_namespace + "/" + decision.pod_name},
       {"uid", decision.pod_uid},
       {"nodeResourceVersion", decision.node_resource_version},
       {"podResourceVersion", decision.pod_resource_version},
       {"fitting", decision.fitting},
       {"top", TopOf(decision)},
       {"decidedBy", decision.decided_by},
       {"refused", RefusalsOf(decision)},
       {"linesHeldBack", held_back_.exchange(0)}});
}

}  // namespace berth::extender
