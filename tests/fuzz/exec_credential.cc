// What an exec plugin writes: who the person is. An answer is one of one version of the API, and
// written again it says the same.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "kube/exec_plugin.h"
#include "model/time.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;
using nlohmann::json;

std::string InRfc3339(model::Time time) {
  return absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ",
                          absl::FromUnixSeconds(time.time_since_epoch().count()),
                          absl::UTCTimeZone());
}

std::string AnswerWith(const kube::ExecCredential& credential, const std::string& version) {
  json status = json::object();
  status["token"] = credential.token;
  status["clientCertificateData"] = credential.client_certificate;
  status["clientKeyData"] = credential.client_key;
  if (credential.expires != model::kNoTime) {
    status["expirationTimestamp"] = InRfc3339(credential.expires);
  }
  json answer = json::object();
  answer["kind"] = "ExecCredential";
  answer["apiVersion"] = version;
  answer["status"] = status;
  // Half of a surrogate pair, as an escape may stand for, is no UTF-8.
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

void Check(std::string_view text, const std::string& version, const std::string& other) {
  const auto credential = kube::ReadExecCredential(text, version);
  fuzz::RequireSentence(credential.status());
  if (!credential.ok()) return;
  fuzz::Require(!credential->token.empty() || !credential->client_certificate.empty(),
                "it tells who the person is");
  fuzz::Require(credential->client_certificate.empty() == credential->client_key.empty(),
                "a certificate has its key");
  fuzz::Require(!kube::ReadExecCredential(text, other).ok(), "it is of one version");
  const std::string written = AnswerWith(*credential, version);
  const auto again = kube::ReadExecCredential(written, version);
  fuzz::Require(again.ok(), "what is written is an answer");
  fuzz::Require(AnswerWith(*again, version) == written, "it is the same one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string v1 = "client.authentication.k8s.io/v1";
  const std::string beta = "client.authentication.k8s.io/v1beta1";
  Check(fuzz::TextOf(data, size), v1, beta);
  Check(fuzz::TextOf(data, size), beta, v1);
  return 0;
}
