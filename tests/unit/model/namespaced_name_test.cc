#include "model/namespaced_name.h"

#include "gtest/gtest.h"

namespace berth::model {
namespace {

TEST(NamespacedName, IsReadAsItIsWritten) {
  for (const char* text : {"ml/train-7f9c2e1a", "kube-system/kube-scheduler", "ml/Train_7"}) {
    const auto name = ParseNamespacedName(text);
    ASSERT_TRUE(name.ok()) << text;
    EXPECT_EQ(name->text(), text);
  }
  EXPECT_EQ(*ParseNamespacedName("ml/train"), (NamespacedName{"ml", "train"}));
}

TEST(NamespacedName, NeedsBothNames) {
  for (const char* text :
       {"", "train", "/train", "ml/", "a/b/c", "ML/train", "m l/train", "m.l/train"}) {
    EXPECT_EQ(ParseNamespacedName(text).status().message(), "is no namespace and name") << text;
  }
}

}  // namespace
}  // namespace berth::model
