#pragma once

#include <string>

#include "config/reader.h"

namespace berth::config {

inline constexpr const char* kNoPem = "must name a PEM file, as the other fields of tls do";

// Two lines in front of every case.
inline std::string WithHead(const std::string& body) {
  return "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n" + body;
}

// With a certificate, so that `body` alone is to blame: in line 3, the body begins in line 4.
inline std::string WithCertificate(const std::string& body) {
  return WithHead("extender: {tls: {certFile: /c, keyFile: /k}}\n" + body);
}

inline std::string ErrorsOf(const std::string& text) {
  return yaml::ToString(ParseConfig(text, "f").errors);
}

}  // namespace berth::config
