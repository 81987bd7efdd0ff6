#include "policies/scheduling/thrift.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

// Entries of that name and performance, all of nvidia.com/gpu unless named "<resource>:<name>".
model::AcceleratorCatalog CatalogOf(
    const std::vector<std::pair<std::string, double>>& performances) {
  std::vector<model::AcceleratorSpec> specs;
  for (const auto& [name, performance] : performances) {
    const bool other = name.starts_with("other:");
    specs.push_back({.name = other ? name.substr(6) : name,
                     .resource = other ? "example.org/other" : std::string(kGpu),
                     .nodes = {{"model", "^" + name + "$"}},
                     .memory = {},
                     .performance = performance});
  }
  return model::AcceleratorCatalog::Make(std::move(specs)).value();
}

// A node of each of these entries of the catalogue.
FixedView NodesOf(const std::vector<std::size_t>& entries) {
  std::vector<model::NodeState> nodes(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    nodes[i].accelerator = static_cast<model::AcceleratorCatalog::Index>(entries[i]);
  }
  return FixedView(std::move(nodes));
}

FixedView NodesOfAll(const model::AcceleratorCatalog& catalog) {
  std::vector<std::size_t> entries(catalog.size());
  std::iota(entries.begin(), entries.end(), 0);
  return NodesOf(entries);
}

Preparation PrepareWith(const ThriftPolicy& policy, const model::StringMap& annotations,
                        const FixedView& view = FixedView()) {
  return policy.Prepare(PodAskingFor(kGpu, 1, annotations), view, kNow);
}

struct ThriftCase {
  std::string name;
  std::vector<std::pair<std::string, double>> performances;
  std::vector<int> scores;
};

class ThriftTable : public testing::TestWithParam<ThriftCase> {};

TEST_P(ThriftTable, Scores) {
  const auto catalog = CatalogOf(GetParam().performances);
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const ThriftPolicy policy({catalog, prefix, reasons}, NoConfig{});
  const Preparation preparation = PrepareWith(policy, {}, NodesOfAll(catalog));
  const auto& evaluator = std::get<std::unique_ptr<NodeEvaluator>>(preparation);
  std::vector<int> scores;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    model::NodeState node;
    node.accelerator = static_cast<model::AcceleratorCatalog::Index>(i);
    const Verdict verdict = evaluator->Evaluate(node);
    EXPECT_TRUE(verdict.fits);
    scores.push_back(verdict.score);
  }
  EXPECT_EQ(scores, GetParam().scores);
  EXPECT_EQ(evaluator->Evaluate({}).score, kMaxScore);  // outside the catalogue
}

INSTANTIATE_TEST_SUITE_P(
    All, ThriftTable,
    testing::Values(ThriftCase{"SlowestBestFastestLast",
                               {{"V100", 1.0}, {"A100", 2.5}, {"A30", 1.3}},
                               {1000, 0, 800}},
                    ThriftCase{"EqualPerformanceEqualScore",
                               {{"a", 2}, {"b", 1}, {"c", 2}, {"d", 1}},
                               {0, 1000, 0, 1000}},
                    ThriftCase{"AllEqual", {{"a", 3}, {"b", 3}}, {1000, 1000}},
                    ThriftCase{"One", {{"a", 0.001}}, {1000}},
                    ThriftCase{"OnlyTheSameResourceIsCompared",
                               {{"a", 1}, {"b", 3}, {"other:c", 100}},
                               {1000, 0, 1000}},
                    ThriftCase{"FarApartStaysInRange", {{"a", 1e-300}, {"b", 1e300}}, {1000, 0}}),
    [](const auto& param) { return param.param.name; });

// Otherwise the scores of V100, A30 and A100 would depend on models that the cluster does not have.
TEST(ThriftPolicy, ComparesOnlyWhatTheClusterHas) {
  const auto catalog = CatalogOf({{"V100", 1.0}, {"A100", 2.5}, {"A30", 1.3}, {"H100", 8}});
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const ThriftPolicy policy({catalog, prefix, reasons}, NoConfig{});
  const auto prepared = [&policy](const std::vector<std::size_t>& entries) {
    return std::get<std::unique_ptr<NodeEvaluator>>(PrepareWith(policy, {}, NodesOf(entries)));
  };
  const auto score = [](const NodeEvaluator& evaluator, std::size_t entry) {
    return evaluator.Evaluate(*NodesOf({entry}).At(0)).score;
  };
  const auto without = prepared({0, 1, 2});
  EXPECT_EQ(score(*without, 0), 1000);
  EXPECT_EQ(score(*without, 2), 800);
  EXPECT_EQ(score(*without, 1), 0);
  const auto with = prepared({0, 1, 2, 3});
  EXPECT_EQ(score(*with, 0), 1000);
  EXPECT_GT(score(*with, 1), 700);
  EXPECT_EQ(score(*with, 3), 0);
  // What was judged with one set of models must not be remembered for another.
  EXPECT_NE(with->ViewKey(), without->ViewKey());
  EXPECT_EQ(prepared({0, 1, 2, 2})->ViewKey(), without->ViewKey());
}

TEST(ThriftPolicy, HasNoOpinionOnPodsThatNameModels) {
  ReasonTable reasons;
  const std::string prefix = "ml.example.org";
  const ThriftPolicy policy({*Catalog(), prefix, reasons}, NoConfig{});
  const auto has_opinion = [&](const model::StringMap& annotations) {
    return !std::holds_alternative<NoOpinion>(PrepareWith(policy, annotations));
  };
  EXPECT_FALSE(has_opinion({{"ml.example.org/accelerators", "A100"}}));
  EXPECT_FALSE(has_opinion({{"ml.example.org/accelerators", "nonsense"}}));
  EXPECT_TRUE(has_opinion({{"ml.example.org/accelerators", " , "}}));  // names none
  EXPECT_TRUE(has_opinion({{"ml.example.org/accelerator-memory", "40Gi"}}));
  EXPECT_TRUE(has_opinion({{"berth.dev/accelerators", "A100"}}));  // another prefix
}

TEST(ThriftPolicy, DefaultsKeepTheA100ForThoseWhoNameIt) {
  const auto performance = [](std::string_view name) {
    return (*Catalog())[Catalog()->IndexOf(name)].performance;
  };
  EXPECT_LT(performance("V100"), performance("A30"));
  EXPECT_LT(performance("A30"), performance("A100"));
}

}  // namespace
}  // namespace berth::policies::scheduling
