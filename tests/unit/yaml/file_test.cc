#include "yaml/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace berth::yaml {
namespace {

std::string TemporaryFile(const std::string& text) {
  const std::string name = testing::TempDir() + "berth_file_test_" + std::to_string(getpid());
  std::ofstream(name, std::ios::binary) << text;
  return name;
}

TEST(ReadFile, GivesEveryByte) {
  const std::string text = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  const std::string name = TemporaryFile(text);
  EXPECT_EQ(ReadFile(name, text.size()).value(), text);
}

TEST(ReadFile, RefusesLongerFiles) {
  const auto text = ReadFile(TemporaryFile("12345"), 4);
  EXPECT_EQ(text.status().message(), "is longer than 4 bytes");
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadFile("/nonexistent/file", 1).status().message(),
            "cannot be read: No such file or directory");
  EXPECT_EQ(ReadFile("/", 1).status().message(), "cannot be read: Is a directory");
}

TEST(DisplayName, NamesStandardInput) {
  EXPECT_EQ(DisplayName("-"), "standard input");
  EXPECT_EQ(DisplayName("a.yaml"), "a.yaml");
}

}  // namespace
}  // namespace berth::yaml
