#include "server/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

namespace berth::server {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Lt;

constexpr std::chrono::system_clock::time_point kTime{milliseconds(1'700'000'000'042)};

std::string Format(std::string_view message, LogFields fields = {}) {
  return FormatLogLine(kTime, LogLevel::kInfo, message, fields);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(LogTest, WritesOneJsonObjectPerLine) {
  EXPECT_EQ(FormatLogLine(kTime, LogLevel::kWarning, "certificate kept",
                          {{"file", "/tls.crt"}, {"tries", 3}, {"left", 1.5}, {"ok", false}}),
            R"({"ts":"2023-11-14T22:13:20.042Z","level":"warning","msg":"certificate kept",)"
            R"("file":"/tls.crt","tries":3,"left":1.5,"ok":false})");
}

TEST(LogTest, WritesTimesBefore1970AndOnTheSecond) {
  const auto at = [](std::int64_t ms) {
    const std::chrono::system_clock::time_point time{milliseconds(ms)};
    return json::parse(FormatLogLine(time, LogLevel::kInfo, "", {}))["ts"];
  };
  EXPECT_EQ(at(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(at(-1), "1969-12-31T23:59:59.999Z");
}

TEST(LogTest, TakesAllKindsOfNumbers) {
  const json line = json::parse(Format("", {{"max", std::numeric_limits<std::uint64_t>::max()},
                                            {"min", std::numeric_limits<std::int64_t>::min()},
                                            {"port", std::uint16_t{8443}},
                                            {"nan", std::numeric_limits<double>::quiet_NaN()}}));
  EXPECT_EQ(line["max"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(line["min"], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(line["port"], 8443);
  EXPECT_TRUE(line["nan"].is_null());
}

TEST(LogTest, TakesListsOfTexts) {
  const std::vector<std::string> texts = {"a", "two\nlines"};
  const std::vector<std::string> none;
  EXPECT_THAT(Format("", {{"texts", texts}, {"none", none}}),
              HasSubstr(R"("texts":["a","two\nlines"],"none":[]})"));
}

// What users control (names, bodies, error texts) must not be able to forge lines or fields.
TEST(LogTest, CannotBeBrokenOutOf) {
  const std::string texts[] = {
      "line\nbreak\r\n",
      R"(quote" and \ backslash","level":"error)",
      std::string("nul\0inside", 10),
      "escape \x1b[2J and DEL \x7f",
      "C1 control \xc2\x9b"
      "31m",
      "line separator \xe2\x80\xa8",
      "ノード",
  };
  for (const std::string& text : texts) {
    const std::string line = Format(text, {{"key", text}, {text, "value"}});
    EXPECT_THAT(line, Each(::testing::AllOf(Lt('\x7f'), ::testing::Ge(' ')))) << line;
    const json parsed = json::parse(line);
    EXPECT_EQ(parsed["msg"], text);
    EXPECT_EQ(parsed["key"], text);
    EXPECT_EQ(parsed[text], "value");
    EXPECT_EQ(parsed["level"], "info");
  }
}

TEST(LogTest, ReplacesInvalidUtf8) {
  for (const std::string text : {"\xff", "\xc3", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80"}) {
    const json parsed = json::parse(Format(text + "!"));
    EXPECT_THAT(parsed["msg"].get<std::string>(), HasSubstr("\xef\xbf\xbd"));
    EXPECT_THAT(parsed["msg"].get<std::string>(), ::testing::EndsWith("!"));
  }
}

TEST(LogTest, FieldsCannotReplaceTheOnesOfEveryLine) {
  const json parsed = json::parse(Format("true", {{"msg", "false"}, {"level", "error"}}));
  EXPECT_EQ(parsed["msg"], "true");
  EXPECT_EQ(parsed["level"], "info");
}

TEST(LogTest, WritesToStandardError) {
  ::testing::internal::CaptureStderr();
  Log(LogLevel::kError, "braces {} and % stay", {{"n", 1}});
  const std::string text = ::testing::internal::GetCapturedStderr();
  ASSERT_THAT(text, ::testing::EndsWith("}\n"));
  EXPECT_EQ(json::parse(text)["msg"], "braces {} and % stay");
}

TEST(LogTest, LeavesOutWhatIsBelowTheLevel) {
  const auto log_all = [] {
    ::testing::internal::CaptureStderr();
    Log(LogLevel::kDebug, "D");
    Log(LogLevel::kInfo, "I");
    Log(LogLevel::kWarning, "W");
    Log(LogLevel::kError, "E");
    std::string messages;
    for (const auto& line : Lines(::testing::internal::GetCapturedStderr())) {
      messages += json::parse(line)["msg"].get<std::string>();
    }
    return messages;
  };
  EXPECT_EQ(log_all(), "IWE");
  SetLogLevel(LogLevel::kDebug);
  EXPECT_EQ(log_all(), "DIWE");
  SetLogLevel(LogLevel::kError);
  EXPECT_EQ(log_all(), "E");
  SetLogLevel(LogLevel::kInfo);
}

TEST(LogTest, ThreadsDoNotMixTheirLines) {
  ::testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([thread] {
        const std::string text(500, static_cast<char>('a' + thread));
        for (int i = 0; i < 200; ++i) Log(LogLevel::kInfo, text);
      });
    }
  }
  const auto lines = Lines(::testing::internal::GetCapturedStderr());
  EXPECT_EQ(lines.size(), 800U);
  for (const std::string& line : lines) {
    const auto message = json::parse(line)["msg"].get<std::string>();
    EXPECT_EQ(message, std::string(500, message[0]));
  }
}

}  // namespace
}  // namespace berth::server
