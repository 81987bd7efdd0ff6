#include "board/query.h"

#include <gtest/gtest.h>

namespace berth::board {
namespace {

TEST(BoardQuery, ReadsParametersAndUndoesTheirEscapes) {
  const struct {
    const char* target;
    const char* value;
  } cases[] = {
      {"/api/node?name=gpu-7", "gpu-7"}, {"/api/node?other=1&name=gpu-7&more=2", "gpu-7"},
      {"/api/node?name=%2F+%2B", "/ +"}, {"/api/node?name=first&name=second", "first"},
      {"/api/node?surname=x", ""},       {"/api/node?name", ""},
      {"/api/node?name=%2", ""},         {"/api/node?name=%zz", ""},
      {"/api/node?&&name=x", "x"},       {"/api/node", ""},
  };
  for (const auto& test : cases)
    EXPECT_EQ(ParameterOf(test.target, "name"), test.value) << test.target;
}

TEST(BoardQuery, WhatIsNoNumberIsZero) {
  EXPECT_EQ(NumberOf("/?n=42", "n"), 42U);
  EXPECT_EQ(NumberOf("/?n=-1", "n"), 0U);
  EXPECT_EQ(NumberOf("/?n=42x", "n"), 0U);
  EXPECT_EQ(NumberOf("/?n=99999999999999999999", "n"), 0U);
  EXPECT_EQ(NumberOf("/", "n"), 0U);
}

}  // namespace
}  // namespace berth::board
