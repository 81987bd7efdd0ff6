#include "certs/private_key.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "certs/openssl.h"

namespace berth::certs {

PrivateKey::PrivateKey(EVP_PKEY* key) : key_(key, EVP_PKEY_free) {}

absl::StatusOr<PrivateKey> PrivateKey::Generate() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  if (key == nullptr) return OpenSslError("cannot make a key");
  return PrivateKey(key);
}

absl::StatusOr<PrivateKey> PrivateKey::Parse(const KeyPem& pem) {
  const Bio bio = ReadFrom(pem.Reveal());
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr);
  if (key == nullptr) return OpenSslError("holds no unencrypted PEM private key");
  return PrivateKey(key);
}

KeyPem PrivateKey::Pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return KeyPem(TextOf(bio.get()));
}

}  // namespace berth::certs
