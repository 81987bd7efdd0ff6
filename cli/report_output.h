#pragma once

#include <string>

#include "cli/output.h"
#include "report/report.h"

namespace berth::cli {

// What `berth report` prints. docs/report.md describes it.

/// For people: a text with tables, some 100 columns wide. Has the first namespaces only. Wide, it
/// has all of them, all examples of objects that cannot be read, and in a column of its own by
/// which policies objects are denied.
std::string ReportText(const report::Report& report, const TableStyle& style = {});

/// A JSON object with everything but Report::all.
std::string ReportJson(const report::Report& report);

/// A line of JSON for each object of Report::all.
std::string ReportObjects(const report::Report& report);

/// One self-contained page of HTML: styles are inline, nothing is loaded and nothing is executed.
/// Every text of the report is escaped.
std::string ReportHtml(const report::Report& report);

/// Words that several outputs use: "left alone", "changed".
std::string_view EffectText(report::Effect effect);

/// "120 workloads (300 pods, 12 Jobs, 1 template)".
std::string CountedObjects(const report::FindingReport& finding);

/// What there is of something: "1 pod", "2 pods", "1,000 pods".
std::string CountOf(std::size_t count, std::string_view singular);

/// Whether the webhook is asked about the namespace: "enforce", "warn", "off", "excluded", or "-"
/// if it has no label.
std::string AdmissionText(const report::NamespaceReport& report);

/// "V100", or "none" for nodes without accelerator.
std::string PoolText(const std::string& accelerator);

}  // namespace berth::cli
