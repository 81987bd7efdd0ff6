#include "tests/integration/fake_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace berth::tests {
namespace {

template <typename Read>
auto FromPem(const std::string& pem, Read read) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return read(bio.get(), nullptr, nullptr, nullptr);
}

}  // namespace

std::shared_ptr<SSL_CTX> MakeFakeContext(const TestCa& ca, bool require_client_certificate) {
  const PemPair leaf = ca.Issue();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      FromPem(leaf.certificate, PEM_read_bio_X509), X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      FromPem(leaf.key, PEM_read_bio_PrivateKey), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> authority(
      FromPem(ca.certificate(), PEM_read_bio_X509), X509_free);
  // OpenSSL reads extensions when first asked for, under a lock that ThreadSanitizer cannot follow
  // into the library; here no other thread asks.
  X509_check_purpose(certificate.get(), -1, 0);
  X509_check_purpose(authority.get(), -1, 0);
  SSL_CTX_use_certificate(context.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority.get());
  if (require_client_certificate) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  // A client's second connection fails without it.
  const unsigned char id[] = "fake";
  SSL_CTX_set_session_id_context(context.get(), id, sizeof id);
  return context;
}

int ListenOnLoopback(std::uint16_t port, const char* address_text) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, address_text, &address.sin_addr);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 64) != 0) {
    throw std::runtime_error("fake API server: cannot listen");
  }
  return listener;
}

int ConnectToLoopback(std::uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to loopback");
  }
  return connection;
}

std::uint16_t PortOf(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

FakeConnection::FakeConnection(int socket, SSL_CTX* context)
    : socket_(socket), ssl_(SSL_new(context), SSL_free) {
  SSL_set_fd(ssl_.get(), socket_);
}

FakeConnection::~FakeConnection() { close(socket_); }

bool FakeConnection::Handshake() { return SSL_accept(ssl_.get()) == 1; }

void FakeConnection::Linger() {
  char bytes[1024];
  while (recv(socket_, bytes, sizeof bytes, 0) > 0) {
  }
}

std::string FakeConnection::ReadHead() {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n")) {
    if (SSL_read(ssl_.get(), &byte, 1) != 1) return "";
    head += byte;
  }
  return head;
}

std::string FakeConnection::ReadBody(std::size_t length) {
  std::string body;
  char byte = 0;
  while (body.size() < length && SSL_read(ssl_.get(), &byte, 1) == 1) body += byte;
  return body;
}

bool FakeConnection::Write(std::string_view bytes) {
  if (bytes.empty()) return true;
  return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
}

bool FakeConnection::WriteChunk(std::string_view bytes) {
  char length[20];
  std::snprintf(length, sizeof length, "%zx\r\n", bytes.size());
  return Write(length + std::string(bytes) + "\r\n");
}

std::string FakeConnection::ClientName() const {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(ssl_.get()), X509_free);
  if (certificate == nullptr) return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                            sizeof name);
  return name;
}

bool FakeConnection::ClientGone() {
  pollfd poll_for{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return poll(&poll_for, 1, 0) != 0;
}

void FakeConnection::Shutdown() { shutdown(socket_, SHUT_RDWR); }

}  // namespace berth::tests
