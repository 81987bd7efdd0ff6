// Holds a request's cost to the budgets in budgets.json. What is counted depends on the compiler
// and the libraries, but not on the machine: instructions with one CPU's code for all, allocations,
// bytes. Budgets of instructions leave a twentieth: which calls g++ inlines depends on all that is
// in the same translation unit, so a change of one function can cost 2 % in others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/child_process.h"

namespace berth {
namespace {

using Json = nlohmann::json;
using tests::ChildProcess;

constexpr char kValgrind[] = "/usr/bin/valgrind";
// simdjson and glibc would else take what the CPU has, which is AVX-512 on one and AVX2 on another.
constexpr char kOneParser[] = "SIMDJSON_FORCE_IMPLEMENTATION=westmere";
constexpr char kOneLibc[] =
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-BMI2,-ERMS,-FSRM";

struct Request {
  std::string path;
  int nodes;
  std::string shape;

  std::vector<std::string> Words() const {
    return {REQUEST_COST, path, std::to_string(nodes), shape};
  }
};

Json Budgets() {
  std::ifstream file("tests/bench/budgets.json");
  return Json::parse(file);
}

Request RequestOf(const Json& budget) {
  return {budget.at("path"), budget.at("nodes"), budget.at("shape")};
}

std::uint64_t Number(const std::string& text, const std::string& after) {
  const std::size_t at = text.find(after);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + after.size()));
}

struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;
};

Counts Count(const Request& request) {
  ChildProcess child(request.Words());
  EXPECT_EQ(child.Wait(), 0) << child.error();
  return {Number(child.output(), "allocations "), Number(child.output(), "bytes ")};
}

/// 0 where valgrind failed.
std::uint64_t Instructions(const Request& request) {
  const std::string file = ::testing::TempDir() + "/request_cost." + std::to_string(::getpid());
  std::vector<std::string> words = {kValgrind, "--tool=callgrind", "--instr-atstart=no",
                                    "--callgrind-out-file=" + file};
  for (const std::string& word : request.Words()) words.push_back(word);
  ChildProcess child(words, "", {kOneParser, kOneLibc});
  EXPECT_EQ(child.Wait(), 0) << child.error();
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  return Number(text.str(), "\ntotals: ");
}

class RequestBudgets : public ::testing::TestWithParam<Json> {};

TEST_P(RequestBudgets, AllocationsAndBytes) {
  const Counts counts = Count(RequestOf(GetParam()));
  EXPECT_GT(counts.allocations, 0U);
  EXPECT_LE(counts.allocations, GetParam().at("allocations").get<std::uint64_t>());
  EXPECT_GT(counts.bytes, 0U);
  EXPECT_LE(counts.bytes, GetParam().at("bytes").get<std::uint64_t>());
}

TEST_P(RequestBudgets, Instructions) {
  if (!std::filesystem::exists(kValgrind)) GTEST_SKIP() << "there is no " << kValgrind;
  const std::uint64_t instructions = Instructions(RequestOf(GetParam()));
  EXPECT_GT(instructions, 0U);
  EXPECT_LE(instructions, GetParam().at("instructions").get<std::uint64_t>());
}

INSTANTIATE_TEST_SUITE_P(All, RequestBudgets,
                         ::testing::ValuesIn(Budgets().get<std::vector<Json>>()),
                         [](const auto& instance) {
                           std::string name;
                           for (const char* key : {"path", "nodes", "shape"}) {
                             const Json& value = instance.param.at(key);
                             name += value.is_string() ? value.get<std::string>() : value.dump();
                           }
                           std::erase(name, '/');
                           return name;
                         });

/// Once a shape is known, more nodes cost no more allocations but those of growing strings.
TEST(RequestBudget, NodesCostNoAllocations) {
  for (Request request : {Request{"/filter", 375, "remembered"}, Request{"/filter", 375, "one"},
                          Request{"/prioritize", 375, "remembered"}}) {
    const std::uint64_t few = Count(request).allocations;
    request.nodes = 7498;
    EXPECT_LE(Count(request).allocations, few + 16) << request.path << ' ' << request.shape;
  }
}

}  // namespace
}  // namespace berth
