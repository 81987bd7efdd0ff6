#include "yaml/source_error.h"

#include <gtest/gtest.h>

namespace berth::yaml {
namespace {

TEST(SourceError, IsOneLineThatEditorsCanFollow) {
  EXPECT_EQ(ToString(SourceError{"f.yaml", 3, "a.b[0].c", "is missing"}),
            "f.yaml:3: a.b[0].c: is missing");
  EXPECT_EQ(ToString(SourceError{"f.yaml", 3, "", "is empty"}), "f.yaml:3: is empty");
  EXPECT_EQ(ToString(SourceError{"f.yaml", 0, "", "is empty"}), "f.yaml: is empty");
}

TEST(SourceError, SeveralAreSeveralLines) {
  EXPECT_EQ(ToString(std::vector<SourceError>{{"f", 1, "", "x"}, {"f", 2, "", "y"}}),
            "f:1: x\nf:2: y");
}

TEST(FieldPath, LeadsFromTheTop) {
  EXPECT_EQ(FieldPath("", "a"), "a");
  EXPECT_EQ(FieldPath("a", "b"), "a.b");
  EXPECT_EQ(ItemPath(FieldPath("a", "b"), 2), "a.b[2]");
}

}  // namespace
}  // namespace berth::yaml
