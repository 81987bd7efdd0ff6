#include <nlohmann/json.hpp>

#include "cli/age.h"
#include "cli/report_output.h"

namespace berth::cli {

namespace {

using report::Compute;
using report::Effect;
using report::Report;
using Json = nlohmann::ordered_json;

std::string ReportDump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char* KeyOf(Effect effect) {
  switch (effect) {
    case Effect::kLeftAlone:
      return "leftAlone";
    case Effect::kUnchanged:
      return "unchanged";
    case Effect::kWarned:
      return "warned";
    case Effect::kChanged:
      return "changed";
    case Effect::kDenied:
      return "denied";
  }
  return "";
}

const char* KeyOf(report::Standing standing) {
  switch (standing) {
    case report::Standing::kAsked:
      return "asked";
    case report::Standing::kOff:
      return "off";
    case report::Standing::kExcluded:
      return "excluded";
  }
  return "";
}

Json JsonOf(const report::EffectCounts& counts) {
  Json json = {{"all", counts.Sum()}};
  for (const Effect effect : {Effect::kDenied, Effect::kChanged, Effect::kWarned,
                              Effect::kUnchanged, Effect::kLeftAlone}) {
    json[KeyOf(effect)] = counts[effect];
  }
  return json;
}

Json JsonOf(const report::ObjectCounts& objects) {
  return {{"pods", JsonOf(objects.pods)},
          {"jobs", JsonOf(objects.jobs)},
          {"templates", JsonOf(objects.templates)}};
}

Json JsonOf(const Compute& amount) {
  return {{"cpuMillis", amount.cpu}, {"memoryBytes", amount.memory}};
}

Json JsonOf(const report::NamespaceReport& each) {
  Json json = {{"name", each.name}, {"standing", KeyOf(each.standing)}, {"label", each.label}};
  json.update(JsonOf(each.objects));
  json["deniedBy"] = each.denied_by;
  json["refused"] = each.refused;
  json["moved"] = each.moved;
  return json;
}

Json JsonOf(const report::FindingReport& finding) {
  return {{"policy", finding.policy},       {"effect", KeyOf(finding.effect)},
          {"says", finding.says},           {"write", finding.write},
          {"workloads", finding.workloads}, {"pods", finding.pods},
          {"jobs", finding.jobs},           {"templates", finding.templates},
          {"examples", finding.examples}};
}

Json JsonOf(const report::PoolReport& pool) {
  return {{"accelerator", pool.accelerator},
          {"nodes", pool.nodes},
          {"allocatable", JsonOf(pool.allocatable)},
          {"now", JsonOf(pool.now)},
          {"then", JsonOf(pool.then)},
          {"tooFullNow", pool.crowded_now},
          {"tooFullThen", pool.crowded_then},
          {"examples", pool.examples}};
}

Json JsonOf(const report::RefusedReport& refused) {
  return {{"reason", refused.reason},
          {"summary", refused.summary},
          {"pods", refused.pods},
          {"examples", refused.examples}};
}

Json JsonOf(const report::MovedReport& moved) {
  return {{"accelerator", moved.accelerator},
          {"pods", moved.pods},
          {"nodes", moved.nodes},
          {"now", JsonOf(moved.now)},
          {"examples", moved.examples}};
}

Json JsonOf(const report::ExcludedReport& excluded) {
  return {{"condition", excluded.condition}, {"accelerator", excluded.accelerator},
          {"resources", excluded.resources}, {"nodes", excluded.nodes},
          {"devices", excluded.devices},     {"examples", excluded.examples}};
}

Json JsonOf(const report::OtherKindReport& other) {
  return {{"kind", other.kind}, {"count", other.count}, {"why", other.why}};
}

template <typename T>
Json ReportList(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(JsonOf(item));
  return list;
}

Json JsonOf(const report::ObjectReport& object) {
  Json json = {{"namespace", object.namespace_name},
               {"kind", object.kind},
               {"name", object.name},
               {"effect", KeyOf(object.effect)}};
  if (!object.policies.empty()) json["policies"] = object.policies;
  if (!object.node.empty()) json["node"] = object.node;
  if (!object.refused.empty()) json["refused"] = object.refused;
  if (object.moved) json["moved"] = true;
  return json;
}

}  // namespace

std::string ReportJson(const Report& report) {
  const Json json = {
      {"time", FormatTime(report.time)},
      {"nodes", report.nodes},
      {"namespacesSeen", report.namespaces},
      {"ended", report.ended},
      {"notes", report.notes},
      {"unreadable",
       {{"count", report.unreadable.count}, {"examples", report.unreadable.examples}}},
      {"otherKinds", ReportList(report.other_kinds)},
      {"objects", JsonOf(report.objects)},
      {"namespaces", ReportList(report.by_namespace)},
      {"differentFindings", report.different_findings},
      {"findings", ReportList(report.findings)},
      {"pools", ReportList(report.pools)},
      {"waiting",
       {{"pods", report.waiting},
        {"now", JsonOf(report.waiting_now)},
        {"then", JsonOf(report.waiting_then)}}},
      {"refused", ReportList(report.refused)},
      {"moved", ReportList(report.moved)},
      {"excludedNodes", ReportList(report.excluded)},
      {"silentConditions", report.silent_conditions}};
  return ReportDump(json, 2);
}

std::string ReportObjects(const Report& report) {
  std::string text;
  for (const report::ObjectReport& object : report.all) text += ReportDump(JsonOf(object), -1);
  return text;
}

}  // namespace berth::cli
