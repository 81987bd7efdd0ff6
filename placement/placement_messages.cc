#include "placement/placement_messages.h"

#include <google/protobuf/timestamp.pb.h>
#include <simdjson.h>

#include <string>
#include <utility>
#include <vector>

namespace berth::placement {

namespace {

using google::protobuf::RepeatedPtrField;
using google::protobuf::Timestamp;

// Leaves the field absent if the time is not known.
template <typename Mutable>
void SetTime(model::Time time, Mutable field) {
  if (time != model::kNoTime) field()->set_seconds(time.time_since_epoch().count());
}

// Kubernetes stores condition types as they were sent. But strings of proto3 must be UTF-8, and
// clients reject a whole message that contains another one.
std::string Utf8(const std::string& text) {
  if (simdjson::validate_utf8(text)) return text;
  std::string ascii = text;
  for (char& c : ascii) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  return ascii;
}

// Fill() writes the first into the second, which is new.

void Fill(const model::Resources::Entry& request, v1::DeviceRequest& message) {
  message.set_resource(request.first);
  message.set_devices(request.second);
}

void Fill(const RefusedGroup& group, v1::RefusedGroup& message) {
  message.set_nodes(group.count);
  message.set_policy(group.policy);
  message.set_reason(group.reason);
  message.set_summary(group.summary);
  SetTime(group.oldest, [&] { return message.mutable_oldest(); });
  SetTime(group.newest, [&] { return message.mutable_newest(); });
}

void Fill(const DeviceCount& count, v1::DeviceCount& message) {
  message.set_resource(count.resource);
  message.set_requested(count.requested);
  message.set_listed(count.listed);
  message.set_capacity(count.capacity);
  message.set_allocatable(count.allocatable);
  message.set_used(count.used);
}

void Fill(const PolicyOpinion& opinion, v1::PolicyOpinion& message) {
  message.set_policy(opinion.policy);
  message.set_observed(opinion.observed);
  message.set_fits(opinion.fits);
  message.set_score(opinion.score);
  message.set_last(opinion.last);
  message.set_weight(opinion.weight);
  message.set_reason(opinion.reason);
  message.set_summary(opinion.summary);
  SetTime(opinion.since, [&] { return message.mutable_since(); });
}

v1::Condition::Status StatusOf(model::ConditionStatus status) {
  if (status == model::ConditionStatus::kTrue) return v1::Condition::STATUS_TRUE;
  if (status == model::ConditionStatus::kFalse) return v1::Condition::STATUS_FALSE;
  return v1::Condition::STATUS_UNKNOWN;
}

void Fill(const model::Condition& condition, v1::Condition& message) {
  message.set_type(Utf8(condition.type));
  message.set_status(StatusOf(condition.status));
  SetTime(condition.last_transition, [&] { return message.mutable_last_transition(); });
  SetTime(condition.last_heartbeat, [&] { return message.mutable_last_heartbeat(); });
}

void Fill(const DeviceTotals& devices, v1::DeviceTotals& message) {
  message.set_nodes(devices.nodes);
  message.set_total(devices.total);
  message.set_used(devices.used);
  message.set_free(devices.free);
}

void Fill(const ExcludedCapacity& excluded, v1::ExcludedCapacity& message) {
  message.set_reason(excluded.reason);
  message.set_summary(excluded.summary);
  Fill(excluded.devices, *message.mutable_devices());
}

void Fill(const UnrecognisedCapacity& unrecognised, v1::UnrecognisedCapacity& message) {
  message.set_resource(unrecognised.resource);
  Fill(unrecognised.devices, *message.mutable_devices());
}

void Fill(const usage::Holding& holding, v1::Holding& message) {
  message.set_namespace_(holding.namespace_name);
  message.set_pod(holding.pod);
  message.set_creator(Utf8(holding.creator));
  message.set_node(holding.node);
  message.set_accelerator(holding.accelerator);
  message.set_resource(holding.resource);
  message.set_devices(holding.devices);
  SetTime(holding.created, [&] { return message.mutable_created(); });
}

void Fill(const extender::RefusalCount& refused, v1::RefusalCount& message) {
  message.set_policy(refused.policy);
  message.set_reason(refused.reason);
  message.set_nodes(refused.nodes);
}

void Fill(const extender::RankedNode& node, v1::RankedNode& message) {
  message.set_name(node.name);
  message.set_rank(node.rank);
  message.set_score(node.score);
}

void Fill(const planner::GangSpan& span, v1::TopologySpan& message) {
  message.set_label(span.label);
  message.set_domains(span.domains);
}

// Of lists of lists.
void Fill(const NodeExplanation& node, v1::NodeExplanation& message);
void Fill(const AcceleratorCapacity& capacity, v1::AcceleratorCapacity& message);

template <typename Value, typename Message>
void FillAll(const std::vector<Value>& values, RepeatedPtrField<Message>* messages) {
  messages->Reserve(static_cast<int>(values.size()));
  for (const Value& value : values) Fill(value, *messages->Add());
}

void Fill(const NodeExplanation& node, v1::NodeExplanation& message) {
  message.set_name(node.name);
  message.set_fits(node.fits);
  message.set_rank(node.rank);
  message.set_score(node.score);
  message.set_last(node.last);
  message.set_accelerator(node.accelerator);
  FillAll(node.devices, message.mutable_devices());
  message.set_reason(node.reason);
  message.set_summary(node.summary);
  SetTime(node.since, [&] { return message.mutable_since(); });
  FillAll(node.policies, message.mutable_policies());
  FillAll(node.conditions, message.mutable_conditions());
}

void Fill(const AcceleratorCapacity& capacity, v1::AcceleratorCapacity& message) {
  message.set_accelerator(capacity.accelerator);
  message.set_resource(capacity.resource);
  Fill(capacity.devices, *message.mutable_devices());
  FillAll(capacity.excluded, message.mutable_excluded());
}

// The messages number these as the planner does, but begin with 1.

v1::Gang::State StateOf(planner::GangPhase phase) {
  return static_cast<v1::Gang::State>(static_cast<int>(phase) + 1);
}

v1::GangChange::Event EventOf(planner::GangEvent event) {
  return static_cast<v1::GangChange::Event>(static_cast<int>(event) + 1);
}

void Fill(const planner::GangOutlook& gang, v1::Gang& message) {
  message.set_namespace_(gang.namespace_);
  message.set_name(Utf8(gang.name));
  message.set_state(StateOf(gang.phase));
  SetTime(gang.since, [&] { return message.mutable_since(); });
  message.set_size(gang.size);
  message.set_waiting(gang.waiting);
  message.set_running(gang.running);
  message.set_reason(Utf8(gang.reason));
  message.set_priority(gang.priority);
  SetTime(gang.created, [&] { return message.mutable_created(); });
  FillAll(gang.spans, message.mutable_spans());
}

void Fill(const planner::GangChange& change, v1::GangChange& message) {
  SetTime(change.time, [&] { return message.mutable_time(); });
  message.set_namespace_(change.namespace_);
  message.set_name(Utf8(change.name));
  message.set_size(change.size);
  message.set_event(EventOf(change.event));
  message.set_reason(Utf8(change.reason));
  SetTime(change.created, [&] { return message.mutable_created(); });
  FillAll(change.spans, message.mutable_spans());
  message.set_running(change.running);
}

v1::Decision::Verb VerbOf(extender::Verb verb) {
  return verb == extender::Verb::kPrioritize ? v1::Decision::VERB_PRIORITIZE
                                             : v1::Decision::VERB_FILTER;
}

}  // namespace

model::Time TimeOf(const Timestamp& time) {
  if (&time == &Timestamp::default_instance()) return model::kNoTime;
  return model::Time(model::Duration(time.seconds()));
}

v1::ExplainResponse ToMessage(const Explanation& explanation) {
  v1::ExplainResponse message;
  SetTime(explanation.now, [&] { return message.mutable_time(); });
  FillAll(explanation.requests, message.mutable_requests());
  message.set_refused_everywhere(explanation.refused_everywhere);
  message.set_fitting(explanation.fitting);
  message.set_not_shortlisted(explanation.not_shortlisted);
  FillAll(explanation.groups, message.mutable_refused());
  for (const std::string& hint : explanation.hints) message.add_hints(hint);
  FillAll(explanation.nodes, message.mutable_nodes());
  return message;
}

v1::CapacityResponse ToMessage(const Capacity& capacity) {
  v1::CapacityResponse message;
  SetTime(capacity.time, [&] { return message.mutable_time(); });
  FillAll(capacity.accelerators, message.mutable_accelerators());
  FillAll(capacity.unrecognised, message.mutable_unrecognised());
  message.mutable_hints()->Assign(capacity.hints.begin(), capacity.hints.end());
  return message;
}

v1::HoldingsResponse ToMessage(const std::vector<usage::Holding>& holdings, model::Time time,
                               const std::vector<std::string>& hints) {
  v1::HoldingsResponse message;
  SetTime(time, [&] { return message.mutable_time(); });
  FillAll(holdings, message.mutable_holdings());
  message.mutable_hints()->Assign(hints.begin(), hints.end());
  return message;
}

std::vector<usage::Holding> HoldingsIn(const v1::HoldingsResponse& response) {
  std::vector<usage::Holding> holdings;
  holdings.reserve(static_cast<std::size_t>(response.holdings_size()));
  for (const v1::Holding& each : response.holdings()) {
    holdings.push_back({.namespace_name = each.namespace_(),
                        .pod = each.pod(),
                        .creator = each.creator(),
                        .node = each.node(),
                        .accelerator = each.accelerator(),
                        .resource = each.resource(),
                        .devices = each.devices(),
                        .created = TimeOf(each.created())});
  }
  return holdings;
}

v1::WatchDecisionsResponse ToMessage(const extender::DecisionBroker::Delivery& delivery) {
  v1::WatchDecisionsResponse message;
  message.set_lost(delivery.lost);
  v1::Decision& decision = *message.mutable_decision();
  SetTime(delivery.item.time, [&] { return decision.mutable_time(); });
  decision.set_pod_namespace(delivery.item.pod_namespace);
  decision.set_pod_name(delivery.item.pod_name);
  decision.set_pod_uid(delivery.item.pod_uid);
  decision.set_node_resource_version(delivery.item.node_resource_version);
  decision.set_pod_resource_version(delivery.item.pod_resource_version);
  decision.set_verb(VerbOf(delivery.item.verb));
  decision.set_fitting(delivery.item.fitting);
  FillAll(delivery.item.refused, decision.mutable_refused());
  FillAll(delivery.item.top, decision.mutable_top());
  decision.set_decided_by(delivery.item.decided_by);
  return message;
}

v1::ListGangsResponse ToMessage(const std::vector<planner::GangOutlook>& gangs,
                                const std::string& namespace_name) {
  v1::ListGangsResponse message;
  for (const planner::GangOutlook& gang : gangs) {
    if (namespace_name.empty() || gang.namespace_ == namespace_name) {
      Fill(gang, *message.add_gangs());
    }
  }
  return message;
}

v1::WatchGangsResponse ToMessage(const server::Broker<planner::GangChange>::Delivery& delivery) {
  v1::WatchGangsResponse message;
  message.set_lost(delivery.lost);
  Fill(delivery.item, *message.mutable_change());
  return message;
}

}  // namespace berth::placement
