#include "server/listener.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <thread>
#include <utility>

#include "server/address.h"
#include "server/connection.h"

namespace berth::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

absl::Status CannotListen(const Address& address, const error_code& error) {
  const bool taken = error == asio::error::address_in_use;
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", ToString(address), ": ", error.message(),
                   taken ? "; choose another port or stop the process that has it" : ""));
}

error_code Open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  // Fails on an IPv4 socket, where it would have no effect.
  error_code ignored;
  acceptor.set_option(asio::ip::v6_only(false), ignored);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) acceptor.close(ignored);
  return error;
}

absl::Status Open(tcp::acceptor& acceptor, const Address& address) {
  error_code error;
  if (address.host.empty()) {
    error = Open(acceptor, {tcp::v6(), address.port});
    const bool no_ipv6 = error == asio::error::address_family_not_supported;
    if (no_ipv6) error = Open(acceptor, {tcp::v4(), address.port});
  } else {
    error = Open(acceptor, {asio::ip::make_address(address.host), address.port});
  }
  return error ? CannotListen(address, error) : absl::OkStatus();
}

// Returns whether one more connection can be served. If all places are taken, an open connection is
// cut, so that clients that open connections and send nothing keep nobody out.
bool MakeRoom(ConnectionContext& context) {
  if (context.connections.Count() < context.limits.connections) return true;
  context.observer->OnLimit(Limit::kConnections);
  return context.connections.CutOne();
}

// Serves or turns away one connection. If there is not enough memory for it, the acceptor goes on.
void Admit(tcp::socket socket, ConnectionContext& context) {
  try {
    if (MakeRoom(context)) ServeConnection(std::move(socket), context);
  } catch (const std::exception& error) {
    context.observer->OnError(absl::StrCat("cannot serve a connection: ", error.what()));
  }
}

asio::awaitable<void> Pause(std::chrono::milliseconds time) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, time);
  error_code ignored;
  auto token = asio::redirect_error(asio::use_awaitable, ignored);
  co_await timer.async_wait(token);
}

asio::awaitable<void> Accept(asio::io_context& io, tcp::acceptor& acceptor,
                             ConnectionContext& context) {
  while (acceptor.is_open()) {
    error_code error;
    const auto strand = asio::make_strand(io);
    auto token = asio::redirect_error(asio::use_awaitable, error);
    tcp::socket socket = co_await acceptor.async_accept(strand, token);
    if (!error) {
      Admit(std::move(socket), context);
    } else if (acceptor.is_open()) {
      context.observer->OnError(absl::StrCat("cannot accept a connection: ", error.message()));
      co_await Pause(kAcceptBackoff);
    }
  }
}

}  // namespace

class Listener::Impl {
 public:
  Impl(ListenerOptions options, Router router)
      : context_{std::move(router), options.limits, std::move(options.tls),
                 std::move(options.observer)} {
    if (!context_.observer) context_.observer = std::make_shared<ListenerObserver>();
  }

  ~Impl() { Stop(); }

  absl::Status Open(const Address& address) {
    absl::Status status = server::Open(acceptor_, address);
    if (status.ok()) port_ = acceptor_.local_endpoint().port();
    return status;
  }

  void Run(int threads) {
    asio::co_spawn(acceptor_.get_executor(), Accept(io_, acceptor_, context_), asio::detached);
    for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([this] { RunThread(); });
  }

  std::uint16_t port() const { return port_; }

  void BeginClosing() { context_.phase = Phase::kClosing; }

  bool Drain(std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    context_.phase = Phase::kDraining;
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    context_.connections.WakeAll();
    const bool all_ended = context_.connections.WaitUntilNone(deadline);
    Stop();
    return all_ended;
  }

 private:
  void RunThread() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception& error) {
        context_.observer->OnError(error.what());
      }
    }
  }

  void Stop() {
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // Outlives the connections, which io_ owns.
  ConnectionContext context_;
  asio::io_context io_;
  tcp::acceptor acceptor_{asio::make_strand(io_)};
  std::uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

absl::StatusOr<std::unique_ptr<Listener>> Listener::Start(ListenerOptions options,
                                                          std::vector<Route> routes) {
  const auto address = ParseAddress(options.address);
  if (!address.ok()) return address.status();
  Router router(std::move(routes));
  if (absl::Status status = router.Validate(); !status.ok()) return status;

  const int threads = options.threads;
  auto impl = std::make_unique<Impl>(std::move(options), std::move(router));
  if (absl::Status status = impl->Open(*address); !status.ok()) return status;
  impl->Run(threads);
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() = default;

std::uint16_t Listener::port() const { return impl_->port(); }
void Listener::BeginClosing() { impl_->BeginClosing(); }
bool Listener::Drain(std::chrono::milliseconds time) { return impl_->Drain(time); }

}  // namespace berth::server
