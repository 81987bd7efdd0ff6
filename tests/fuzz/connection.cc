// Bytes of a client on a plain connection, as they come before any of them is known to be HTTP.
// They are answered at once and well, and alike whatever the pieces that they come in.
#include "server/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;
namespace asio = boost::asio;
using asio::ip::tcp;
using server::HttpRequest;
using server::HttpResponse;
using server::Rejection;
using server::Route;

// So small that a short input runs into each of them.
constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kBodiesBytes = 1024;
constexpr std::size_t kMaxBody = 128;
constexpr std::size_t kFrontBytes = 16;

HttpResponse Length(const HttpRequest& request) {
  return {200, "text/plain", std::to_string(request.body.size()) + " bytes"};
}

HttpResponse Throw(const HttpRequest&) { throw std::runtime_error("no luck"); }

HttpResponse LengthOfFront(const Rejection& rejection) {
  const std::size_t length = std::min(rejection.body.size(), kFrontBytes);
  return {200, "text/plain", std::to_string(length) + " bytes: " + rejection.message};
}

std::vector<Route> Routes() {
  return {{"GET", "/", 0, Length, {}},
          {"GET", "/throw", 0, Throw, {}},
          {"POST", "/", kMaxBody, Length, {}},
          {"POST", "/worded", kMaxBody, Length, LengthOfFront},
          {"POST", "/fronted", kMaxBody, Length, LengthOfFront, kFrontBytes},
          {"POST", "/large", 4 * kBodiesBytes, Length, LengthOfFront, kFrontBytes}};
}

class Statuses : public server::ListenerObserver {
 public:
  void OnRequest(std::string_view /*path*/, int status,
                 std::chrono::nanoseconds /*elapsed*/) override {
    all.push_back(status);
  }

  std::vector<int> all;
};

struct Reply {
  int status = 0;
  /// Header and body.
  std::string text;

  friend bool operator==(const Reply&, const Reply&) = default;
};

struct Outcome {
  /// What the client was sent.
  std::string replies;
  /// Of the replies that were counted.
  std::vector<int> statuses;
};

/// A served connection whose other end is in our hands; all of it happens in Run().
class Conversation {
 public:
  Conversation() {
    std::array<int, 2> ends{};
    fuzz::Require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "there are sockets");
    client_ = ends[0];
    server::ServeConnection(tcp::socket(asio::make_strand(io_), tcp::v4(), ends[1]), context_);
  }
  ~Conversation() { ::close(client_); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Sends `text` in pieces of so many bytes, says that it was all, and listens to the end.
  Outcome Run(std::string_view text, std::size_t piece) {
    while (!text.empty() && !ended_) {
      const std::size_t sent = Send(text.substr(0, piece));
      text.remove_prefix(sent);
      fuzz::Require(Listen() || sent > 0, "what a client sends is taken");
    }
    ::shutdown(client_, SHUT_WR);
    while (!ended_) fuzz::Require(Listen(), "who has said everything is not waited for");
    Serve();
    fuzz::Require(context_.connections.Count() == 0, "a connection that has ended is gone");
    return {std::move(replies_), std::move(observer_->all)};
  }

 private:
  /// How many of the bytes were taken, if only to be thrown away because nobody reads them.
  std::size_t Send(std::string_view bytes) {
    const ssize_t sent = ::send(client_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN ? 0 : bytes.size();
    return static_cast<std::size_t>(sent);
  }

  /// Everything that can happen without more of the client. Never waits, not for a deadline either.
  std::size_t Serve() {
    io_.restart();
    return io_.poll();
  }

  /// Whether anything happened, the end of the connection included.
  bool Listen() {
    bool moved = Serve() > 0;
    std::array<char, 4096> bytes;
    for (;;) {
      const ssize_t read = ::recv(client_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (read < 0 && errno == EAGAIN) return moved;
      ended_ = read <= 0;
      if (ended_) return true;
      replies_.append(bytes.data(), static_cast<std::size_t>(read));
      moved = true;
    }
  }

  std::shared_ptr<Statuses> observer_ = std::make_shared<Statuses>();
  server::ConnectionContext context_{server::Router(Routes()),
                                     {.header_bytes = kHeaderBytes, .bodies_bytes = kBodiesBytes},
                                     nullptr,
                                     observer_};
  asio::io_context io_;
  int client_ = -1;
  bool ended_ = false;
  std::string replies_;
};

std::size_t ContentLength(std::string_view header) {
  constexpr std::string_view kField = "\r\nContent-Length: ";
  const std::size_t at = header.find(kField);
  fuzz::Require(at != std::string_view::npos, "a reply says how long it is");
  return std::stoul(std::string(header.substr(at + kField.size(), 10)));
}

/// The first of the replies in `text`. No body of ours begins like another reply.
Reply FirstOf(std::string_view text) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  constexpr std::size_t kVersion = std::string_view("HTTP/1.1 ").size();
  fuzz::Require(text.starts_with("HTTP/1.1 ") || text.starts_with("HTTP/1.0 "), "it is HTTP");
  const std::size_t end = text.find(kEnd);
  fuzz::Require(end != std::string_view::npos, "a reply is whole");
  std::size_t size = end + kEnd.size();
  const int status = std::stoi(std::string(text.substr(kVersion, 3)));
  const bool to_head = size == text.size() || text.substr(size).starts_with("HTTP/1.");
  if (status != 100 && !to_head) size += ContentLength(text.substr(0, size));
  fuzz::Require(size <= text.size(), "a reply is whole");
  return {status, std::string(text.substr(0, size))};
}

/// Those that a client was sent; each of them was counted.
std::vector<Reply> RepliesOf(const Outcome& outcome) {
  std::vector<Reply> replies;
  std::vector<int> statuses;
  for (std::string_view rest = outcome.replies; !rest.empty();) {
    replies.push_back(FirstOf(rest));
    rest.remove_prefix(replies.back().text.size());
    const int status = replies.back().status;
    if (status != 100) statuses.push_back(status);
  }
  fuzz::Require(statuses == outcome.statuses, "each reply is counted as what it is");
  return replies;
}

/// The replies to `text` in pieces, without a last one that says that the rest is no HTTP: what
/// breaks off is found to be broken or only to have ended, and what is broken to be too large
/// instead, depending on the pieces.
std::vector<Reply> RepliesTo(std::string_view text, std::size_t piece) {
  std::vector<Reply> replies = RepliesOf(Conversation().Run(text, piece));
  const bool broken =
      !replies.empty() && (replies.back().status == 400 || replies.back().status == 431);
  if (broken) replies.pop_back();
  return replies;
}

/// Whether the replies are the same, but for a last one that only one of them may have.
bool AreAlikeButForTheEnd(const std::vector<Reply>& some, const std::vector<Reply>& others) {
  const auto [shorter, longer] = std::minmax({some.size(), others.size()});
  return longer - shorter <= 1 && std::equal(some.begin(), some.begin() + shorter, others.begin());
}

/// Whether a chunk may have an extension with a quote, of which Beast 1.81 needs more bytes for as
/// long as the quote is open. Each time it deducts the size of the chunk from the limit of the body
/// again (parse_chunk_header in boost/beast/http/impl/basic_parser.ipp), so that the pieces decide
/// whether the body is found to be too large before it is found to be broken. No valid body has a
/// quote that is still open at the end of its line.
bool MayHaveOpenQuote(std::string_view text) { return text.find('"') != std::string_view::npos; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const std::vector<Reply> to_whole = RepliesTo(text, std::max<std::size_t>(size, 1));
  const std::vector<Reply> to_pieces = RepliesTo(text, 1 + size / 32);
  const bool alike =
      MayHaveOpenQuote(text) ? AreAlikeButForTheEnd(to_whole, to_pieces) : to_whole == to_pieces;
  fuzz::Require(alike, "pieces are answered as the whole is");
  return 0;
}
