// Everything that includes Boost.Beast: it takes half a minute to compile.

#include "server/connection.h"

#include <absl/strings/str_cat.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "server/connection_base.h"
#include "server/exchange.h"
#include "server/tls.h"

namespace berth::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

using PlainStream = tcp::socket;
using TlsStream = asio::ssl::stream<tcp::socket>;
using Parser = http::request_parser<http::string_body>;

// Bytes of a body that one read asks for.
constexpr std::size_t kReadBytes = 64 * 1024;
// Size of the buffer for the first bytes of a connection's first request.
constexpr std::size_t kFirstBytes = 1024;

auto Into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

template <class Stream>
class Connection : public ConnectionBase {
 public:
  template <class... Args>
  Connection(ConnectionContext& context, tcp::socket socket, Args... args)
      : ConnectionBase(context, socket.get_executor()), stream_(std::move(socket), args...) {}

  Stream& stream() { return stream_; }
  beast::flat_buffer& buffer() { return buffer_; }
  tcp::socket& socket() override { return beast::get_lowest_layer(stream_); }

 private:
  Stream stream_;
  beast::flat_buffer buffer_{kReadBytes + limits().header_bytes};
};

template <class Stream>
using Pointer = std::shared_ptr<Connection<Stream>>;

RequestHead ToHead(const Parser& parser) {
  const auto& message = parser.get();
  return {.method = message.method_string(),
          .target = message.target(),
          .version = message.version(),
          .host_fields = message.count(http::field::host),
          .has_transfer_encoding = message.count(http::field::transfer_encoding) > 0,
          .chunked = parser.chunked(),
          .content_length = parser.content_length().value_or(0),
          .expect = message[http::field::expect]};
}

HttpRequest ToRequest(const Parser& parser) {
  const auto& message = parser.get();
  return {.method = message.method_string(),
          .target = message.target(),
          .body = message.body(),
          .field = [&message](std::string_view name) -> std::string_view { return message[name]; }};
}

// Returns true if the client sent something that is not HTTP, false if it just left.
bool IsMalformed(error_code error) {
  static const auto& http_errors = http::make_error_code(http::error::bad_method).category();
  return error.category() == http_errors && error != http::error::end_of_stream &&
         error != http::error::partial_message;
}

// Returns the answer to a header that could not be read; nothing if the client is gone.
std::optional<Reply> RefuseBrokenHeader(ConnectionBase& connection, error_code error,
                                        bool in_time) {
  if (!in_time) {
    connection.observer().OnLimit(Limit::kHeaderTime);
    return Refusal(408, "the request header did not arrive in time");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    connection.observer().OnLimit(Limit::kHeaderBytes);
    return Refusal(431, absl::StrCat("the request header is larger than ",
                                     connection.limits().header_bytes, " bytes"));
  }
  if (!IsMalformed(error)) return std::nullopt;
  return Refusal(400, "bad request: " + error.message());
}

// Returns whether a request has begun. The wait ends without one when the client closes the
// connection, when it is idle for too long, and when the listener drains.
template <class Stream>
asio::awaitable<bool> AwaitRequest(Connection<Stream>& connection) {
  if (connection.buffer().size() > 0) co_return true;
  connection.StartIdle();
  error_code error;
  const std::size_t ready = std::max(connection.buffer().capacity(), kFirstBytes);
  const auto space = connection.buffer().prepare(std::min(ready, connection.limits().header_bytes));
  auto token = Into(error);
  const std::size_t read = co_await connection.stream().async_read_some(space, token);
  connection.StopIdle();
  connection.buffer().commit(read);
  co_return !error;
}

struct HeaderResult {
  bool complete;
  std::optional<Reply> refusal;
};

template <class Stream>
asio::awaitable<HeaderResult> ReadHeader(Connection<Stream>& connection, Parser& parser) {
  connection.StartDeadline(connection.limits().header);
  error_code error;
  auto token = Into(error);
  const std::size_t size =
      co_await http::async_read_header(connection.stream(), connection.buffer(), parser, token);
  const bool in_time = connection.FinishedInTime();
  // If the request line and the fields arrive one after the other, Beast counts each alone.
  if (!error && size > connection.limits().header_bytes) error = http::error::header_limit;
  if (!error) co_return HeaderResult{true, std::nullopt};
  co_return HeaderResult{false, RefuseBrokenHeader(connection, error, in_time)};
}

// Sends "100 Continue" to a client that waits for it before it sends the body.
template <class Stream>
asio::awaitable<void> SendContinue(Connection<Stream>& connection, error_code& error) {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto text = asio::buffer(kContinue.data(), kContinue.size());
  auto token = Into(error);
  co_await asio::async_write(connection.stream(), text, token);
}

enum class BodyResult { kComplete, kTooLarge, kTimeout, kNoRoom, kMalformed, kGone };

BodyResult ClassifyBody(error_code error, bool in_time, bool made_way) {
  if (!error) return BodyResult::kComplete;
  if (!in_time) return made_way ? BodyResult::kNoRoom : BodyResult::kTimeout;
  if (error == http::error::body_limit) return BodyResult::kTooLarge;
  return IsMalformed(error) ? BodyResult::kMalformed : BodyResult::kGone;
}

// Reads a body piece by piece, so that the budget counts what has arrived and not what was
// announced.
template <class Stream>
asio::awaitable<BodyResult> ReadBody(Connection<Stream>& connection, const Route& route,
                                     Parser& parser) {
  if (parser.is_done()) co_return BodyResult::kComplete;
  connection.StartDeadline(connection.limits().body);
  connection.share().Wait();
  error_code error;
  if (!parser.get()[http::field::expect].empty()) co_await SendContinue(connection, error);
  parser.body_limit(route.max_body);
  parser.eager(true);
  bool room = true;
  while (!error && room && !parser.is_done()) {
    auto token = Into(error);
    co_await http::async_read_some(connection.stream(), connection.buffer(), parser, token);
    room = connection.share().Hold(parser.get().body().size());
  }
  connection.share().Work();
  const bool in_time = connection.FinishedInTime();
  co_return room ? ClassifyBody(error, in_time, connection.made_way()) : BodyResult::kNoRoom;
}

// Reads and drops the rest of a body that nobody wants. A client that sends everything before it
// reads then gets to the answer, and one that reads while it sends does not see a broken
// connection.
template <class Stream>
asio::awaitable<void> Discard(Connection<Stream>& connection, std::uint64_t left,
                              std::chrono::milliseconds time) {
  const std::uint64_t read_already = connection.buffer().size();
  connection.buffer().consume(read_already);
  left = std::min<std::uint64_t>(left - std::min(left, read_already), kMaxLingerBytes);
  connection.StartDeadline(time);
  std::array<char, 16 * 1024> forgotten{};
  error_code error;
  while (!error && left > 0) {
    const auto space = asio::buffer(forgotten, std::min<std::uint64_t>(left, forgotten.size()));
    auto token = Into(error);
    left -= co_await connection.stream().async_read_some(space, token);
  }
  connection.FinishedInTime();
}

// Returns the route's answer to a body that is too large by its header. The route sees the front of
// it. Nothing if the client is gone.
template <class Stream>
asio::awaitable<std::optional<Reply>> RejectByFront(Connection<Stream>& connection,
                                                    const Route& route, const Parser& parser) {
  beast::flat_buffer& buffer = connection.buffer();
  connection.StartDeadline(connection.limits().body);
  error_code error;
  while (!error && buffer.size() < route.reject_bytes) {
    const auto space = buffer.prepare(route.reject_bytes - buffer.size());
    auto token = Into(error);
    const std::size_t read = co_await connection.stream().async_read_some(space, token);
    buffer.commit(read);
  }
  const bool in_time = connection.FinishedInTime();
  if (error && in_time) co_return std::nullopt;
  const std::string_view front(static_cast<const char*>(buffer.data().data()), buffer.size());
  const RejectionCause cause =
      in_time ? RejectionCause::kBodyTooLarge : RejectionCause::kBodyTimeout;
  Reply reply = RejectBody(connection.observer(), connection.limits(), route, cause, front);
  if (in_time) co_await Discard(connection, *parser.content_length(), connection.limits().body);
  co_return reply;
}

// Returns the reply to a body that was read, or to one that could not be; nothing if the client is
// gone.
std::optional<Reply> ReplyTo(ConnectionBase& connection, const Route& route, const Parser& parser,
                             BodyResult result) {
  const auto reject = [&](RejectionCause cause) {
    return RejectBody(connection.observer(), connection.limits(), route, cause,
                      parser.get().body());
  };
  switch (result) {
    case BodyResult::kComplete:
      connection.NoteRequest();
      return Handle(connection.observer(), route, ToRequest(parser));
    case BodyResult::kTooLarge:
      return reject(RejectionCause::kBodyTooLarge);
    case BodyResult::kTimeout:
      return reject(RejectionCause::kBodyTimeout);
    case BodyResult::kNoRoom:
      return reject(RejectionCause::kBodiesTooMany);
    case BodyResult::kMalformed:
      return Refusal(400, "bad request: the chunked body cannot be read");
    case BodyResult::kGone:
      break;
  }
  return std::nullopt;
}

// Frees the body and counts the reply in its place. If there is no room for the reply, replaces it
// by the route's short one. For that, the route sees the front of the body: kube-apiserver takes
// only an answer that names the review.
void HoldReply(ConnectionBase& connection, const Route& route, Parser& parser,
               std::optional<Reply>& reply) {
  connection.share().Hold(0);
  const std::size_t bytes = reply ? reply->response.body.size() : 0;
  const bool held = connection.share().Hold(bytes);
  const std::string front = held ? "" : parser.get().body().substr(0, route.reject_bytes);
  std::string().swap(parser.get().body());
  if (held) return;
  reply.reset();
  const bool could = connection.context().bodies.Fits(bytes);
  reply =
      RejectBody(connection.observer(), connection.limits(), route,
                 could ? RejectionCause::kBodiesTooMany : RejectionCause::kReplyTooLarge, front);
}

// Returns the reply to a request whose header has been read; nothing if the client is gone.
template <class Stream>
asio::awaitable<std::optional<Reply>> Answer(Connection<Stream>& connection,
                                             const Router::Match& match, Parser& parser) {
  std::optional<Reply> refusal =
      RefuseByHead(connection.observer(), connection.limits(), match, ToHead(parser));
  if (refusal) co_return refusal;
  const Route& route = *match.route;
  if (parser.content_length().value_or(0) > route.max_body) {
    co_return co_await RejectByFront(connection, route, parser);
  }
  const BodyResult result = co_await ReadBody(connection, route, parser);
  std::optional<Reply> reply = ReplyTo(connection, route, parser, result);
  const std::uint64_t unread = parser.content_length_remaining().value_or(0);
  HoldReply(connection, route, parser, reply);
  if (result == BodyResult::kNoRoom && route.reject_bytes > 0) {
    co_await Discard(connection, unread, connection.limits().close);
  }
  co_return reply;
}

// Fills in what the header of a reply says, whatever its body is.
template <class Body>
void SetHeader(http::response<Body>& message, const Reply& reply, unsigned version, bool keep) {
  message.result(static_cast<unsigned>(reply.response.status));
  message.version(version);
  message.keep_alive(keep);
  if (!reply.allow.empty()) message.set(http::field::allow, reply.allow);
  message.set(http::field::content_type, reply.response.content_type);
  for (const auto& [name, value] : reply.response.fields) message.set(name, value);
}

http::response<http::string_body> ToMessage(Reply reply, const Parser& parser, bool keep) {
  const bool head = parser.get().method() == http::verb::head;
  http::response<http::string_body> message;
  SetHeader(message, reply, parser.is_header_done() ? parser.get().version() : 11, keep);
  message.content_length(reply.response.body.size());
  if (!head) message.body() = std::move(reply.response.body);
  return message;
}

void BeginWrite(ConnectionBase& connection) {
  connection.StartDeadline(connection.limits().write);
  connection.share().Wait();
}

// Returns whether everything was handed to the system in time.
bool EndWrite(ConnectionBase& connection, error_code error) {
  connection.share().Work();
  connection.share().Hold(0);
  const bool in_time = connection.FinishedInTime();
  const Limit limit = connection.made_way() ? Limit::kBodiesAtOnce : Limit::kWriteTime;
  if (error && !in_time) connection.observer().OnLimit(limit);
  return !error;
}

template <class Stream>
asio::awaitable<bool> Write(Connection<Stream>& connection,
                            http::response<http::string_body>& message) {
  BeginWrite(connection);
  error_code error;
  auto token = Into(error);
  co_await http::async_write(connection.stream(), message, token);
  co_return EndWrite(connection, error);
}

// Writes the header of a body that comes piece by piece.
template <class Stream>
asio::awaitable<bool> WriteHeader(Connection<Stream>& connection, const Reply& reply) {
  http::response<http::empty_body> message;
  SetHeader(message, reply, 11, /*keep=*/false);
  message.chunked(true);
  http::response_serializer<http::empty_body> serializer(message);
  BeginWrite(connection);
  error_code error;
  auto token = Into(error);
  co_await http::async_write_header(connection.stream(), serializer, token);
  co_return EndWrite(connection, error);
}

// Writes a piece that is not empty. If other connections hold the memory for it, the client has to
// ask again.
template <class Stream>
asio::awaitable<bool> WritePiece(Connection<Stream>& connection, const std::string& piece) {
  if (!connection.share().Hold(piece.size())) co_return false;
  BeginWrite(connection);
  error_code error;
  auto token = Into(error);
  const auto chunk = http::make_chunk(asio::buffer(piece));
  co_await asio::async_write(connection.stream(), chunk, token);
  co_return EndWrite(connection, error);
}

template <class Stream>
asio::awaitable<bool> WriteEnd(Connection<Stream>& connection) {
  BeginWrite(connection);
  error_code error;
  auto token = Into(error);
  const auto chunk = http::make_chunk_last();
  co_await asio::async_write(connection.stream(), chunk, token);
  co_return EndWrite(connection, error);
}

// Writes the body that comes from the reply's source, until it ends, the client leaves, or the
// listener drains. Returns whether all that was begun was written.
template <class Stream>
asio::awaitable<bool> WriteSource(Connection<Stream>& connection, const Reply& reply) {
  BodySource& source = *reply.response.source;
  source.Start(connection.Waker());
  bool written = co_await WriteHeader(connection, reply);
  while (written && connection.context().phase != Phase::kDraining) {
    const std::optional<std::string> piece = source.Next();
    if (!piece) break;
    if (piece->empty()) {
      co_await connection.AwaitWake(BodySource::kPatience);
    } else {
      written = co_await WritePiece(connection, *piece);
    }
  }
  if (written) written = co_await WriteEnd(connection);
  co_return written;
}

enum class Next { kAnotherRequest, kClose, kCut };

template <class Stream>
asio::awaitable<Next> ServeRequest(Connection<Stream>& connection) {
  ConnectionContext& context = connection.context();
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(context.limits.header_bytes));
  parser.body_limit(boost::none);
  HeaderResult header = co_await ReadHeader(connection, parser);
  const auto start = steady_clock::now();
  std::optional<Reply> reply = std::move(header.refusal);
  Router::Match match;
  if (header.complete) {
    match = context.router.Find(parser.get().method_string(), parser.get().target());
    reply = co_await Answer(connection, match, parser);
  }
  if (!reply) co_return Next::kCut;

  if (reply->response.source && parser.get().version() < 11) {
    reply = Refusal(505, "this takes HTTP/1.1");
  }
  const int status = reply->response.status;
  const bool streams =
      reply->response.source != nullptr && parser.get().method() != http::verb::head;
  const bool keep = header.complete && !reply->close && !streams && parser.get().keep_alive() &&
                    context.phase == Phase::kServing;
  bool written = false;
  if (streams) {
    written = co_await WriteSource(connection, *reply);
  } else {
    auto message = ToMessage(*std::move(reply), parser, keep);
    written = co_await Write(connection, message);
  }
  const std::string_view path = match.route == nullptr ? "" : std::string_view(match.route->path);
  connection.observer().OnRequest(path, status, steady_clock::now() - start);
  if (!written) co_return Next::kCut;
  co_return keep ? Next::kAnotherRequest : Next::kClose;
}

// Waits until the client closes its side, or until the deadline. If a socket is closed with unread
// bytes, the system sends a reset, and the client's system then drops what the client has not read
// yet.
asio::awaitable<void> Linger(ConnectionBase& connection) {
  tcp::socket& socket = connection.socket();
  error_code error;
  socket.shutdown(tcp::socket::shutdown_send, error);
  std::array<char, 4096> discarded{};
  for (std::size_t left = kMaxLingerBytes; !error && left >= discarded.size();) {
    const auto space = asio::buffer(discarded);
    auto token = Into(error);
    left -= co_await socket.async_read_some(space, token);
  }
}

template <class Stream>
asio::awaitable<void> Close(Connection<Stream>& connection) {
  connection.StartDeadline(connection.limits().close);
  if constexpr (std::is_same_v<Stream, TlsStream>) {
    error_code ignored;
    auto token = Into(ignored);
    co_await connection.stream().async_shutdown(token);
  }
  co_await Linger(connection);
  connection.FinishedInTime();
}

template <class Stream>
asio::awaitable<void> ServeRequests(Connection<Stream>& connection) {
  Next next = Next::kAnotherRequest;
  while (next == Next::kAnotherRequest) {
    const bool began = co_await AwaitRequest(connection);
    if (!began) break;
    next = co_await ServeRequest(connection);
  }
  if (next != Next::kCut) co_await Close(connection);
}

HandshakeFailure Classify(error_code error, bool in_time) {
  if (!in_time) return HandshakeFailure::kTimeout;
  if (error.category() != asio::error::get_ssl_category()) return HandshakeFailure::kClosed;
  return ClassifyHandshakeError(static_cast<unsigned long>(error.value()));
}

asio::awaitable<bool> Handshake(Connection<TlsStream>& connection) {
  connection.StartDeadline(connection.limits().handshake);
  error_code error;
  auto token = Into(error);
  co_await connection.stream().async_handshake(asio::ssl::stream_base::server, token);
  const bool in_time = connection.FinishedInTime();
  if (!error) co_return true;
  if (connection.was_cut()) co_return false;
  connection.observer().OnHandshakeFailed(Classify(error, in_time));
  // The client may still have to read the alert that says why.
  connection.StartDeadline(connection.limits().close);
  if (in_time) co_await Linger(connection);
  connection.FinishedInTime();
  co_return false;
}

asio::awaitable<void> Serve(Pointer<PlainStream> connection) {
  co_await ServeRequests(*connection);
}

asio::awaitable<void> Serve(Pointer<TlsStream> connection) {
  const bool secure = co_await Handshake(*connection);
  if (secure) co_await ServeRequests(*connection);
}

template <class Stream>
void Spawn(Pointer<Stream> connection) {
  connection->Register();
  ConnectionContext& context = connection->context();
  const auto strand = connection->socket().get_executor();
  asio::co_spawn(strand, Serve(std::move(connection)),
                 [&context](const std::exception_ptr& failure) {
                   if (!failure) return;
                   try {
                     std::rethrow_exception(failure);
                   } catch (const std::exception& error) {
                     context.observer->OnError(absl::StrCat("connection: ", error.what()));
                   }
                 });
}

}  // namespace

void ServeConnection(tcp::socket socket, ConnectionContext& context) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (!context.tls) {
    Spawn(std::make_shared<Connection<PlainStream>>(context, std::move(socket)));
    return;
  }
  SSL* session = SSL_new(context.tls->Current().get());
  if (session == nullptr) {
    context.observer->OnError("out of memory for another TLS connection");
    return;
  }
  Spawn(std::make_shared<Connection<TlsStream>>(context, std::move(socket), session));
}

}  // namespace berth::server
