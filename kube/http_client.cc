// The only file of this folder that includes Boost.Beast, which takes long to compile.
#include "kube/http_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "kube/address_choice.h"
#include "kube/exec_credentials.h"
#include "kube/name_lookup.h"
#include "kube/tls_client.h"

namespace berth::kube {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = net::ssl;
using net::use_awaitable;
using Tcp = beast::tcp_stream;
using Tls = beast::ssl_stream<Tcp>;
using boost::system::error_code;

constexpr std::uint32_t kMaxHead = 64 * 1024;
constexpr std::size_t kBodyBuffer = 64 * 1024;

using TimePoint = std::chrono::steady_clock::time_point;

/// `Where` is ApiConfig or ApiProxy.
template <typename Where>
std::string HostAndPort(const Where& where) {
  const bool v6 = where.host.find(':') != std::string::npos;
  return (v6 ? '[' + where.host + ']' : where.host) + ':' + where.port;
}

/// A connection, plain or TLS, with the bytes that were read beyond the last reply.
struct Connection {
  std::unique_ptr<Tcp> plain;
  std::unique_ptr<Tls> tls;
  beast::flat_buffer buffer;

  Tcp& tcp() const { return tls ? tls->next_layer() : *plain; }
  explicit operator bool() const { return plain || tls; }
};

/// One request in progress. It lives in Send().
struct Exchange {
  http::request<http::string_body> request;
  HttpSink& sink;
  const HttpTimeouts& timeouts;
  std::chrono::milliseconds silence;
  std::optional<TimePoint> send_by;
  /// What is being done, for errors.
  const char* phase = "";
  bool sent = false;
  bool replied = false;
  bool keep = false;
  /// Whether the server did not accept the credentials.
  bool unknown_client = false;

  /// Whether repeating the request does no harm: a server that has not received its last byte does
  /// nothing.
  bool Repeatable() const { return !replied && (!sent || request.method() == http::verb::get); }

  /// Returns the deadline of a step before the reply that may take up to `longest`.
  TimePoint EndOf(std::chrono::milliseconds longest) const {
    const TimePoint end = std::chrono::steady_clock::now() + longest;
    return send_by ? std::min(end, *send_by) : end;
  }

  bool TooLate() const { return send_by && std::chrono::steady_clock::now() >= *send_by; }
};

http::verb VerbOf(HttpMethod method) {
  switch (method) {
    case HttpMethod::kGet:
      return http::verb::get;
    case HttpMethod::kPost:
      return http::verb::post;
    case HttpMethod::kPut:
      return http::verb::put;
    case HttpMethod::kPatch:
      return http::verb::patch;
    case HttpMethod::kDelete:
      return http::verb::delete_;
  }
  return http::verb::unknown;
}

/// Whether the server has closed an idle connection, or sent something that nobody requested.
bool IsStale(Tcp& tcp) {
  char byte = 0;
  const auto waiting = ::recv(tcp.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return waiting >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

HttpHead HeadOf(const http::response<http::buffer_body>& response) {
  HttpHead head;
  head.status = static_cast<int>(response.result_int());
  const auto type = response[http::field::content_type];
  head.content_type.assign(type.data(), type.size());
  const auto seconds = response[http::field::retry_after];
  std::int32_t number = 0;
  if (absl::SimpleAtoi(absl::string_view(seconds.data(), seconds.size()), &number) && number > 0) {
    head.retry_after = std::chrono::seconds(number);
  }
  const auto [first, last] = response.equal_range(http::field::warning);
  for (auto field = first; field != last; ++field) {
    const auto value = field->value();
    head.warnings.emplace_back(value.data(), value.size());
  }
  return head;
}

/// Whether the server does not know the client, or does not grant it the request. A server
/// identifies the client by the certificate that the connection began with; the files may contain
/// another one by now.
bool IsRefused(int status) { return status == 401 || status == 403; }

net::awaitable<void> Connect(Tcp& tcp, net::ip::tcp::endpoint to, TimePoint end) {
  tcp.expires_at(end);
  co_await tcp.async_connect(to, use_awaitable);
  tcp.socket().set_option(net::ip::tcp::no_delay(true));
}

/// Asks the proxy at the other end to connect to the server.
net::awaitable<absl::Status> Tunnel(Tcp& tcp, const ApiConfig& config, TimePoint end) {
  const std::string server = HostAndPort(config);
  http::request<http::empty_body> request(http::verb::connect, server, 11);
  request.set(http::field::host, server);
  request.set(http::field::user_agent, kUserAgent);
  if (!config.proxy->credentials.empty()) {
    request.set(http::field::proxy_authorization,
                "Basic " + absl::Base64Escape(config.proxy->credentials));
  }
  tcp.expires_at(end);
  co_await http::async_write(tcp, request, use_awaitable);
  http::response_parser<http::empty_body> parser;
  parser.header_limit(kMaxHead);
  parser.skip(true);
  beast::flat_buffer buffer;
  co_await http::async_read_header(tcp, buffer, parser, use_awaitable);
  const unsigned int status = parser.get().result_int();
  if (status / 100 == 2) co_return absl::OkStatus();
  const auto reason = parser.get().reason();
  co_return absl::UnavailableError(
      fmt::format("proxy {} answers {} {} to CONNECT {}", HostAndPort(*config.proxy), status,
                  std::string_view(reason.data(), reason.size()), server));
}

net::awaitable<void> Handshake(Tls& stream, TimePoint end) {
  stream.next_layer().expires_at(end);
  co_await stream.async_handshake(ssl::stream_base::client, use_awaitable);
}

/// Reads the body piece by piece, and passes each on at once: a watch may send nothing more for
/// minutes.
template <typename Stream>
net::awaitable<absl::Status> ReadBody(Stream& stream, beast::flat_buffer& buffer,
                                      http::response_parser<http::buffer_body>& parser,
                                      Exchange& exchange) {
  std::vector<char> piece(kBodyBuffer);
  while (!parser.is_done()) {
    auto& body = parser.get().body();
    body.data = piece.data();
    body.size = piece.size();
    beast::get_lowest_layer(stream).expires_after(exchange.silence);
    error_code error;
    auto token = net::redirect_error(use_awaitable, error);
    co_await http::async_read_some(stream, buffer, parser, token);
    // This error means that `piece` is full.
    if (error && error != http::error::need_buffer) throw boost::system::system_error(error);
    const std::string_view bytes(piece.data(), piece.size() - body.size);
    absl::Status status = bytes.empty() ? absl::OkStatus() : exchange.sink.OnBody(bytes);
    if (!status.ok()) co_return status;
  }
  co_return absl::OkStatus();
}

template <typename Stream>
net::awaitable<absl::Status> SendAndReceive(Stream& stream, beast::flat_buffer& buffer,
                                            Exchange& exchange) {
  exchange.phase = "sending the request";
  beast::get_lowest_layer(stream).expires_at(exchange.EndOf(exchange.timeouts.write));
  co_await http::async_write(stream, exchange.request, use_awaitable);

  exchange.sent = true;

  exchange.phase = "waiting for the reply";
  http::response_parser<http::buffer_body> parser;
  parser.header_limit(kMaxHead);
  parser.body_limit(boost::none);
  beast::get_lowest_layer(stream).expires_after(exchange.timeouts.head);
  co_await http::async_read_header(stream, buffer, parser, use_awaitable);
  exchange.replied = true;

  exchange.phase = "reading the reply";
  const HttpHead head = HeadOf(parser.get());
  exchange.unknown_client = head.status == 401;
  absl::Status status = exchange.sink.OnHead(head);
  if (status.ok()) status = co_await ReadBody(stream, buffer, parser, exchange);
  exchange.keep = status.ok() && parser.get().keep_alive() && !IsRefused(head.status);
  co_return status;
}

}  // namespace

class HttpClient::Impl {
 public:
  Impl(ApiConfig config, HttpTimeouts timeouts, NameLookup::Ask ask)
      : config_(std::move(config)),
        timeouts_(timeouts),
        lookup_(std::move(ask)),
        tls_(ssl::context::tls_client) {}

  /// Most callers run on a thread of their own, where an exception would end the process: the
  /// system may have no thread for a name lookup at the moment, or no memory for what `sink` keeps.
  absl::Status Send(const HttpRequest& request, HttpSink& sink) {
    try {
      return SendOrThrow(request, sink);
    } catch (const std::exception& error) {
      connection_ = {};
      if (stopped_) return absl::CancelledError("stopped");
      return absl::UnavailableError(fmt::format("{}: {}", HostAndPort(config_), error.what()));
    }
  }

  void Stop() {
    stopped_ = true;
    lookup_.Stop();
    net::post(io_, [this] { Close(); });
  }

 private:
  absl::Status SendOrThrow(const HttpRequest& request, HttpSink& sink) {
    Exchange exchange{{}, sink, timeouts_, request.silence, request.send_by};
    absl::Status status = Identify();
    if (status.ok()) status = Prepare(request, exchange.request);
    if (!status.ok()) return status;
    if (connection_ && IsStale(connection_.tcp())) connection_ = {};
    const bool kept = static_cast<bool>(connection_);
    status = Try(exchange);
    // The server may close a kept connection at the same moment in which it is used again.
    if (kept && exchange.Repeatable() && absl::IsUnavailable(status)) status = Try(exchange);
    if (config_.exec && exchange.unknown_client) config_.exec->Refuse(identity_);
    return status;
  }

  /// Has the exec plugin tell who the client is, if there is one.
  absl::Status Identify() {
    if (!config_.exec) return absl::OkStatus();
    auto identity = config_.exec->Get([this] { return stopped_.load(); });
    if (!identity.ok()) return identity.status();
    // The server identifies a client by the certificate that the connection began with.
    if (identity->client_certificate != identity_.client_certificate) connection_ = {};
    identity_ = *std::move(identity);
    config_.token = TextSource::Text(identity_.token);
    config_.client_certificate = TextSource::Text(identity_.client_certificate);
    config_.client_key = TextSource::Text(identity_.client_key);
    return absl::OkStatus();
  }

  absl::Status Prepare(const HttpRequest& from, http::request<http::string_body>& request) const {
    request.method(VerbOf(from.method));
    request.version(11);
    request.target(config_.base_path + from.target);
    request.set(http::field::host, HostAndPort(config_));
    request.set(http::field::user_agent, kUserAgent);
    request.set(http::field::accept, from.accept);
    if (!from.content_type.empty()) {
      request.set(http::field::content_type, from.content_type);
      request.body() = from.body;
      request.prepare_payload();
    }
    if (!config_.token.given()) return absl::OkStatus();
    const absl::StatusOr<std::string> text = config_.token.Read();
    if (!text.ok()) return text.status();
    const std::string token(absl::StripAsciiWhitespace(*text));
    if (token.empty() || token.find_first_of("\r\n") != std::string::npos) {
      return absl::UnavailableError(
          fmt::format("token {} is empty or has more than one line", config_.token.path()));
    }
    request.set(http::field::authorization, "Bearer " + token);
    return absl::OkStatus();
  }

  absl::Status Try(Exchange& exchange) {
    exchange.sent = exchange.keep = false;
    const bool kept = static_cast<bool>(connection_);
    absl::Status status = kept ? absl::OkStatus() : ConnectToAny(exchange);
    // The timer of the write would still let the first bytes out.
    if (status.ok() && exchange.TooLate()) {
      status = absl::DeadlineExceededError("too late to send the request");
    } else if (status.ok()) {
      status = Run(Perform(this, &exchange), exchange);
      // A server that closes an idle connection is not dead.
      if (!kept || exchange.replied || !absl::IsUnavailable(status)) RecordOutcome(status);
    }
    if (!exchange.keep) connection_ = {};
    if (stopped_) return absl::CancelledError("stopped");
    return status;
  }

  void RecordOutcome(const absl::Status& status) {
    const bool dead = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
    if (dead) {
      choice_.OnFailed(address_);
    } else {
      choice_.OnWorked(address_);
    }
  }

  /// Tries one address after the other, including the TLS handshake, because a load balancer may
  /// accept connections although all its servers are dead.
  absl::Status ConnectToAny(Exchange& exchange) {
    const std::string& host = config_.proxy ? config_.proxy->host : config_.host;
    const std::string& port = config_.proxy ? config_.proxy->port : config_.port;
    const auto left = exchange.EndOf(timeouts_.connect) - std::chrono::steady_clock::now();
    const absl::StatusOr<std::vector<std::string>> addresses =
        lookup_.Resolve(host, std::chrono::ceil<std::chrono::milliseconds>(left));
    if (!addresses.ok()) return addresses.status();
    absl::Status status = absl::UnavailableError("no address of " + host);
    for (const std::string& address : choice_.Order(*addresses)) {
      error_code error;
      const auto parsed = net::ip::make_address(address, error);
      if (error) continue;
      address_ = address;
      status = Open();
      if (!status.ok()) return status;
      const net::ip::tcp::endpoint to(parsed, static_cast<std::uint16_t>(std::stoi(port)));
      status = Run(Establish(this, &exchange, to), exchange);
      if (status.ok() || stopped_ || exchange.TooLate()) return status;
      choice_.OnFailed(address);
      connection_ = {};
    }
    return status;
  }

  /// Makes a stream that is not connected.
  absl::Status Open() {
    if (config_.tls) return OpenTls();
    connection_.plain = std::make_unique<Tcp>(io_);
    return absl::OkStatus();
  }

  absl::Status OpenTls() {
    absl::StatusOr<ssl::context> context = MakeTlsContext(config_);
    if (!context.ok()) return context.status();
    tls_ = *std::move(context);
    connection_.tls = std::make_unique<Tls>(io_, tls_);
    ExpectServer(config_, connection_.tls->native_handle());
    return absl::OkStatus();
  }

  static net::awaitable<absl::Status> Establish(Impl* self, Exchange* exchange,
                                                net::ip::tcp::endpoint to) {
    // A later Stop() finds something to close.
    if (self->stopped_) co_return absl::CancelledError("stopped");
    Connection& connection = self->connection_;
    exchange->phase = "connecting";
    co_await Connect(connection.tcp(), to, exchange->EndOf(self->timeouts_.connect));
    if (self->config_.proxy) {
      exchange->phase = "asking the proxy for a tunnel";
      const absl::Status opened = co_await Tunnel(connection.tcp(), self->config_,
                                                  exchange->EndOf(self->timeouts_.connect));
      if (!opened.ok()) co_return opened;
    }
    exchange->phase = "TLS handshake";
    if (connection.tls)
      co_await Handshake(*connection.tls, exchange->EndOf(self->timeouts_.handshake));
    co_return absl::OkStatus();
  }

  static net::awaitable<absl::Status> Perform(Impl* self, Exchange* exchange) {
    if (self->stopped_) co_return absl::CancelledError("stopped");
    Connection& connection = self->connection_;
    if (connection.tls) {
      co_return co_await SendAndReceive(*connection.tls, connection.buffer, *exchange);
    }
    co_return co_await SendAndReceive(*connection.plain, connection.buffer, *exchange);
  }

  absl::Status Run(net::awaitable<absl::Status> task, const Exchange& exchange) {
    absl::Status result;
    std::exception_ptr failure;
    io_.restart();
    net::co_spawn(io_, std::move(task), [&](std::exception_ptr thrown, absl::Status status) {
      failure = std::move(thrown);
      result = std::move(status);
    });
    io_.run();
    if (!failure) return result;
    try {
      std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
      return Explain(error.code(), exchange);
    }
  }

  absl::Status Explain(const error_code& error, const Exchange& exchange) {
    const std::string by = config_.proxy ? " by proxy " + HostAndPort(*config_.proxy) : "";
    const std::string where = fmt::format("{}{}: {}", HostAndPort(config_), by, exchange.phase);
    if (error == beast::error::timeout) {
      return absl::DeadlineExceededError(where + " took too long");
    }
    const std::string more =
        connection_.tls ? CertificateTrouble(config_, connection_.tls->native_handle()) : "";
    return absl::UnavailableError(fmt::format("{}: {}{}", where, error.message(), more));
  }

  // Runs on the thread of Run(). Whatever is being waited for ends with an error.
  void Close() {
    if (connection_) connection_.tcp().close();
  }

  ApiConfig config_;
  /// What the exec plugin has told, if there is one.
  ExecCredential identity_;
  const HttpTimeouts timeouts_;
  std::atomic<bool> stopped_ = false;
  NameLookup lookup_;
  AddressChoice choice_;
  /// The address that the connection goes to.
  std::string address_;
  net::io_context io_{1};
  ssl::context tls_;
  Connection connection_;
};

HttpClient::HttpClient(ApiConfig config, HttpTimeouts timeouts, NameLookup::Ask ask)
    : impl_(std::make_unique<Impl>(std::move(config), timeouts, std::move(ask))) {}

HttpClient::~HttpClient() = default;

absl::Status HttpClient::Send(const HttpRequest& request, HttpSink& sink) {
  return impl_->Send(request, sink);
}

void HttpClient::Stop() { impl_->Stop(); }

}  // namespace berth::kube
