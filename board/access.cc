#include "board/access.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace berth::board {

namespace {

constexpr std::string_view kBearer = "Bearer ";

// Everything comes from the board itself, and nothing else may be loaded, run or sent.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

server::HttpResponse Forbidden(int status, std::string sentence) {
  return Guarded({.status = status,
                  .content_type = "text/plain; charset=utf-8",
                  .body = std::move(sentence) + "\n"});
}

// Whether Host is a name of loopback, at any port.
bool IsLoopback(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view port = host.substr(name.size());
    if (port.empty()) return true;
    return port.size() > 1 && port.front() == ':' &&
           std::all_of(port.begin() + 1, port.end(), absl::ascii_isdigit);
  }
  return false;
}

// Takes the same time wherever the first difference is.
bool IsSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string MakeToken() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("the system has no random numbers");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Access::Access(std::string token, std::uint16_t port) : token_(std::move(token)), port_(port) {}

std::optional<server::HttpResponse> Access::RefusePage(const server::HttpRequest& request) const {
  const std::string_view host = request.field("Host");
  if (!IsLoopback(host)) {
    return Forbidden(421, "the board answers to 127.0.0.1 and localhost, and Host names another");
  }
  const std::string_view origin = request.field("Origin");
  if (!origin.empty() && origin != fmt::format("http://{}", host)) {
    return Forbidden(403, "pages of other origins may not ask the board");
  }
  return std::nullopt;
}

std::optional<server::HttpResponse> Access::RefuseData(const server::HttpRequest& request) const {
  if (auto refusal = RefusePage(request)) return refusal;
  const std::string_view given = request.field("Authorization");
  if (given.starts_with(kBearer) && IsSame(given.substr(kBearer.size()), token_)) {
    return std::nullopt;
  }
  return Forbidden(401, "open the address that berth board has printed: it has the token");
}

std::string Access::Url() const { return fmt::format("http://127.0.0.1:{}/#{}", port_, token_); }

server::HttpResponse Guarded(server::HttpResponse response) {
  for (const auto& [name, value] : {std::pair{"Cache-Control", "no-store"},
                                    {"Content-Security-Policy", kPolicy},
                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"X-Content-Type-Options", "nosniff"}}) {
    response.fields.emplace_back(name, value);
  }
  return response;
}

}  // namespace berth::board
