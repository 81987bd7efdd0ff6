#include "kube/api_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>

namespace berth::kube {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};
static_assert(!Streamable<ApiObject>);

const OwnerReference kOwner{.api_version = "v1", .kind = "ConfigMap", .name = "b", .uid = "u1"};

ApiObject Read(const std::string& text) { return ApiObject::Parse(text).value(); }

TEST(ApiObject, KeepsWhatNobodyHasChanged) {
  const Json before = Json::parse(R"({
    "metadata": {"name": "s", "resourceVersion": "7", "annotations": {"a": "1"}, "x": [1, null]},
    "data": {"k": "dg=="}, "type": "Opaque", "immutable": false, "n": 1.5})");
  ApiObject object = Read(before.dump());
  object.SetAnnotation("b.dev/c", "2");
  object.SetSecretValue("l", "w");
  Json wanted = before;
  wanted["metadata"]["annotations"]["b.dev/c"] = "2";
  wanted["data"]["l"] = "dw==";
  EXPECT_EQ(Json::parse(object.ToJson()), wanted);
}

TEST(ApiObject, RefusesWhatIsNoObjectWithoutRepeatingIt) {
  for (const char* text : {"", "[]", "secret", "{\"a\":", "null"}) {
    const auto object = ApiObject::Parse(text);
    ASSERT_TRUE(absl::IsInvalidArgument(object.status())) << text;
    EXPECT_EQ(object.status().message(), "the text is not a JSON object");
  }
}

TEST(ApiObject, ReadsWhatIsOddAsEmpty) {
  for (const char* text :
       {"{}", R"({"metadata": null, "data": null, "spec": null, "webhooks": null})",
        R"({"metadata": 1, "data": [], "spec": "x", "webhooks": {}})",
        R"({"metadata": {"annotations": [], "ownerReferences": {"a": 1}, "uid": 1},
            "data": {"k": 1}, "spec": {"clusterIPs": "x"}})"}) {
    const ApiObject object = Read(text);
    EXPECT_EQ(object.uid(), "") << text;
    EXPECT_EQ(object.Annotation("a"), "") << text;
    EXPECT_EQ(object.SecretValue("k"), "") << text;
    EXPECT_EQ(object.ConfigMapValue("k"), std::nullopt) << text;
    EXPECT_FALSE(object.HasOwner(kOwner)) << text;
  }
}

TEST(ApiObject, ANewSecretIsComplete) {
  ApiObject secret = ApiObject::New("v1", "Secret", "ml", "s");
  secret.SetSecretType("kubernetes.io/tls");
  secret.SetSecretValue("tls.crt", "PEM\n");
  secret.SetLabel("app", "berth");
  secret.SetOwner(kOwner);
  EXPECT_EQ(Json::parse(secret.ToJson()), Json::parse(R"({
    "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
    "metadata": {"name": "s", "namespace": "ml", "labels": {"app": "berth"},
                 "ownerReferences": [
                   {"apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": "u1"}]},
    "data": {"tls.crt": "UEVNCg=="}})"));
  EXPECT_EQ(secret.SecretValue("tls.crt"), "PEM\n");
}

TEST(ApiObject, TakesGarbageInASecretAsNothing) {
  EXPECT_EQ(Read(R"({"data": {"tls.crt": "%%%"}})").SecretValue("tls.crt"), "");
}

// A release that was installed again has a ConfigMap of the same name.
TEST(ApiObject, HasOneOwnerOfAName) {
  ApiObject object = Read(R"({"metadata": {"ownerReferences": [
    {"kind": "ConfigMap", "name": "b", "uid": "u0"}, {"kind": "Node", "name": "b", "uid": "n"}]}})");
  EXPECT_FALSE(object.HasOwner(kOwner));
  object.SetOwner(kOwner);
  EXPECT_TRUE(object.HasOwner(kOwner));
  EXPECT_EQ(Json::parse(OwnersPatch(object)), Json::parse(R"({"metadata": {"ownerReferences": [
    {"kind": "Node", "name": "b", "uid": "n"},
    {"apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": "u1"}]}})"));
}

TEST(ApiObject, GivesMetadataAnOwner) {
  const std::string metadata = WithOwner(R"({"name":"x","resourceVersion":"3"})", kOwner);
  EXPECT_THAT(metadata, HasSubstr(R"("resourceVersion":"3")"));
  EXPECT_EQ(WithOwner(metadata, kOwner), metadata);
  EXPECT_TRUE(Read("{\"metadata\":" + metadata + "}").HasOwner(kOwner));
}

TEST(ApiObject, ReadsTheAddressesOfAService) {
  EXPECT_THAT(
      Read(R"({"spec": {"clusterIP": "x", "clusterIPs": ["10.0.0.1", "fd::1"]}})").ClusterIps(),
      ElementsAre("10.0.0.1", "fd::1"));
  EXPECT_THAT(Read(R"({"spec": {"type": "ExternalName"}})").ClusterIps(), IsEmpty());
}

TEST(ApiObject, SetsTheCaBundleOfEveryWebhook) {
  ApiObject object = Read(R"({"webhooks": [
    {"name": "a", "clientConfig": {"url": "https://x", "caBundle": "YQ=="}}, {"name": "b"}]})");
  EXPECT_THAT(object.CaBundles(), ElementsAre("a", ""));
  object.SetCaBundles("pem");
  EXPECT_THAT(object.CaBundles(), ElementsAre("pem", "pem"));
  EXPECT_THAT(object.ToJson(), HasSubstr(R"("url":"https://x")"));
  ApiObject none = Read("{}");
  none.SetCaBundles("pem");
  EXPECT_EQ(none, Read("{}"));
}

TEST(ApiObject, ReadsAConfigMap) {
  EXPECT_EQ(Read(R"({"data": {"config.yaml": "a: 1"}})").ConfigMapValue("config.yaml"), "a: 1");
}

}  // namespace
}  // namespace berth::kube
