#include "tests/integration/server_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace berth::tests {
namespace {

constexpr timeval kPatience{10, 0};

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio ReadFrom(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

std::shared_ptr<X509> ParseCertificate(const std::string& pem) {
  return {PEM_read_bio_X509(ReadFrom(pem).get(), nullptr, nullptr, nullptr), X509_free};
}

void UseCertificate(SSL_CTX* context, const PemPair& pair) {
  const auto certificate = ParseCertificate(pair.certificate);
  const std::shared_ptr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(ReadFrom(pair.key).get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  SSL_CTX_use_certificate(context, certificate.get());
  SSL_CTX_use_PrivateKey(context, key.get());
}

std::shared_ptr<SSL_CTX> MakeContext(const ClientTls& tls) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  // Level 0, so that this client really offers the versions that the server must refuse.
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ParseCertificate(tls.ca).get());
  if (tls.max_version != 0) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), tls.max_version);
  }
  if (tls.certificate) UseCertificate(context.get(), *tls.certificate);
  return context;
}

// Value of a field, or empty.
std::string Field(const std::string& header, const std::string& name) {
  const std::size_t begin = header.find("\r\n" + name + ": ");
  if (begin == std::string::npos) return "";
  const std::size_t value = begin + name.size() + 4;
  return header.substr(value, header.find("\r\n", value) - value);
}

std::string LastOpenSslError() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason == nullptr ? "" : reason;
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const ClientTls* tls) {
  connected_ = Connect(port) && (tls == nullptr || StartTls(*tls));
}

RawClient::~RawClient() {
  ssl_.reset();
  if (socket_ >= 0) close(socket_);
}

bool RawClient::Connect(std::uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;  // as Go's clients; else a request waits for the server's delayed ACK
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool RawClient::StartTls(const ClientTls& tls) {
  const auto context = MakeContext(tls);
  ssl_.reset(SSL_new(context.get()), SSL_free);
  SSL_set_fd(ssl_.get(), socket_);
  if (!tls.alpn.empty()) {
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(tls.alpn.data()),
                        static_cast<unsigned>(tls.alpn.size()));
  }
  ERR_clear_error();
  const bool done = SSL_connect(ssl_.get()) == 1;
  if (!done) error_ = LastOpenSslError();
  return done;
}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                           : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::SayGoodbye() { SSL_shutdown(ssl_.get()); }

End RawClient::EndOfTls(int result) {
  const int cause = SSL_get_error(ssl_.get(), result);
  if (cause == SSL_ERROR_ZERO_RETURN) return End::kClosed;
  if (cause == SSL_ERROR_WANT_READ) return End::kTimeout;
  if (cause == SSL_ERROR_SSL) error_ = LastOpenSslError();
  const bool reset = cause == SSL_ERROR_SYSCALL && errno == ECONNRESET;
  return reset ? End::kReset : End::kClosed;
}

bool RawClient::ReadMore() {
  std::array<char, 16384> bytes;
  ERR_clear_error();
  const auto read = ssl_ ? SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                         : recv(socket_, bytes.data(), bytes.size(), 0);
  if (read > 0) {
    received_.append(bytes.data(), static_cast<std::size_t>(read));
    return true;
  }
  if (ssl_) {
    end_ = EndOfTls(static_cast<int>(read));
  } else {
    end_ = read == 0 ? End::kClosed : errno == ECONNRESET ? End::kReset : End::kTimeout;
  }
  return false;
}

ServerReply RawClient::ReadReply(bool head) {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) return {};
  }
  ServerReply reply;
  reply.header = received_.substr(0, end + 4);
  received_.erase(0, end + 4);
  reply.status = std::atoi(reply.header.substr(9, 3).c_str());
  const std::string length = Field(reply.header, "Content-Length");
  const std::size_t size = head || length.empty() ? 0 : std::stoul(length);
  while (received_.size() < size) {
    if (!ReadMore()) return {};
  }
  reply.body = received_.substr(0, size);
  received_.erase(0, size);
  return reply;
}

std::string RawClient::ReadUntil(std::string_view end) {
  std::size_t at = 0;
  while ((at = received_.find(end)) == std::string::npos) {
    if (!ReadMore()) return "";
  }
  std::string text = received_.substr(0, at + end.size());
  received_.erase(0, text.size());
  return text;
}

End RawClient::ReadToEnd() {
  while (ReadMore()) received_.clear();
  return end_;
}

std::string RawClient::protocol() const { return SSL_get_version(ssl_.get()); }

std::string RawClient::alpn() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

bool RawClient::resumable() const {
  return SSL_SESSION_is_resumable(SSL_get0_session(ssl_.get())) == 1;
}

std::string RawClient::server_serial() const {
  const std::shared_ptr<X509> certificate(SSL_get1_peer_certificate(ssl_.get()), X509_free);
  if (!certificate) return "";
  const std::shared_ptr<BIGNUM> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate.get()), nullptr), BN_free);
  const std::unique_ptr<char, void (*)(char*)> text(BN_bn2hex(number.get()),
                                                    [](char* hex) { OPENSSL_free(hex); });
  return text.get();
}

}  // namespace berth::tests
