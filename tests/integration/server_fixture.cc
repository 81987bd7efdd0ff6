#include "tests/integration/server_fixture.h"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace berth::tests {
namespace {

using server::HttpRequest;
using server::HttpResponse;
using server::Rejection;
using server::Route;

constexpr std::chrono::seconds kPatience{10};
constexpr char kText[] = "text/plain";
constexpr std::size_t kLargeMaxBody = 4 * 1024 * 1024;
constexpr std::size_t kSwollenBytes = 2048;
constexpr std::size_t kBigBytes = 32 * 1024 * 1024;

HttpResponse Echo(const HttpRequest& request) { return {200, kText, std::string(request.body)}; }

HttpResponse Worded(const Rejection& rejection) {
  return {200, "application/json", "{\"Error\":\"" + rejection.message + "\"}"};
}

HttpResponse Fronted(const Rejection& rejection) {
  return {200, kText,
          std::string(rejection.body.substr(0, kFrontBytes)) + ": " + rejection.message};
}

HttpResponse Throw(const HttpRequest&) { throw std::runtime_error("no luck"); }

std::vector<Route> Routes(Gate& gate) {
  const auto hello = [](const HttpRequest&) { return HttpResponse{200, kText, "hello"}; };
  const auto big = [](const HttpRequest&) {
    return HttpResponse{200, kText, std::string(kBigBytes, 'x')};
  };
  const auto swollen = [](const HttpRequest&) {
    return HttpResponse{200, kText, std::string(kSwollenBytes, 'x')};
  };
  const auto wait = [&gate](const HttpRequest&) {
    gate.Pass();
    return HttpResponse{200, kText, "passed"};
  };
  return {{"GET", "/hello", 0, hello, {}},
          {"POST", "/echo", kEchoMaxBody, Echo, {}},
          {"POST", "/worded", 10, Echo, Worded},
          {"POST", "/fronted", kEchoMaxBody, Echo, Fronted, kFrontBytes},
          {"POST", "/swollen", kEchoMaxBody, swollen, Fronted, kFrontBytes},
          {"GET", "/throw", 0, Throw, {}},
          {"GET", "/gate", 0, wait, {}},
          {"GET", "/big", 0, big, {}},
          {"POST", "/large", kLargeMaxBody, hello, {}}};
}

}  // namespace

int Recorder::Count(const std::string& event) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(event);
  return found == counts_.end() ? 0 : found->second;
}

bool Recorder::Await(const std::string& event, int times,
                     std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] {
    const auto found = counts_.find(event);
    return found != counts_.end() && found->second >= times;
  });
}

std::vector<std::string> Recorder::Errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void Recorder::OnHandshakeFailed(server::HandshakeFailure cause) {
  Record("handshake " + std::string(Name(cause)));
}

void Recorder::OnLimit(server::Limit limit) { Record("limit " + std::string(Name(limit))); }

void Recorder::OnRequest(std::string_view path, int status, std::chrono::nanoseconds /*elapsed*/) {
  Record("request " + std::string(path) + " " + std::to_string(status));
}

void Recorder::OnError(std::string_view message) {
  {
    const std::lock_guard lock(mutex_);
    errors_.emplace_back(message);
  }
  Record("error");
}

void Recorder::Record(const std::string& event) {
  const std::lock_guard lock(mutex_);
  ++counts_[event];
  changed_.notify_all();
}

void Gate::Open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Gate::Pass() {
  std::unique_lock lock(mutex_);
  ++arrived_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return open_; });
}

bool Gate::AwaitArrival() const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [this] { return arrived_ > 0; });
}

ServerTest::~ServerTest() {
  // Or a test that failed early would leave a handler waiting for ever.
  gate.Open();
}

void ServerTest::UseTls(ClientCertificates ask) {
  const PemPair pair = ca.Issue();
  server::TlsCertificatesOptions certificates;
  certificates.files.certificate = directory.Write("tls.crt", pair.certificate);
  certificates.files.key = directory.Write("tls.key", pair.key);
  if (ask != ClientCertificates::kNone) {
    certificates.files.client_ca = directory.Write("ca.crt", ca.certificate());
    certificates.files.require_client_certificate = ask == ClientCertificates::kRequired;
  }
  auto opened = server::TlsCertificates::Open(std::move(certificates));
  ASSERT_TRUE(opened.ok()) << opened.status();
  options.tls = *std::move(opened);
  tls.ca = ca.certificate();
}

void ServerTest::Start() {
  options.address = "127.0.0.1:0";
  options.observer = seen;
  auto started = server::Listener::Start(options, Routes(gate));
  ASSERT_TRUE(started.ok()) << started.status();
  listener = *std::move(started);
}

std::unique_ptr<RawClient> ServerTest::Connect() {
  return std::make_unique<RawClient>(listener->port(), client_tls());
}

std::string Request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view fields) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: berth\r\n");
  if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
  return text.append(fields).append("\r\n").append(body);
}

}  // namespace berth::tests
