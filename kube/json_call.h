#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "kube/transport.h"

namespace berth::kube {

/// Bytes of a reply: an object has 1.5 MiB at most, as etcd keeps it.
inline constexpr std::size_t kMaxJsonReply = std::size_t{8} << 20;

/// Sends one request whose body, if any, and reply are JSON: PATCH as JSON merge patch (RFC 7386).
/// The reply's body, where its status is 2xx. Errors are the transport's, or name the request and
/// what the server said: NotFound (404), Aborted (409: somebody was faster), PermissionDenied (401,
/// 403), InvalidArgument (400, 422), Unavailable (everything else).
absl::StatusOr<std::string> CallJson(Transport& transport, HttpMethod method, std::string target,
                                     std::string body = {}, std::size_t max_reply = kMaxJsonReply);

}  // namespace berth::kube
