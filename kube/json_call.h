#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/transport.h"

namespace berth::kube {

/// The default limit on the bytes of a reply. An object has at most 1.5 MiB, because etcd stores no
/// more.
inline constexpr std::size_t kMaxJsonReply = std::size_t{8} << 20;

class BodySink;

/// Whether Transport::Send() has failed with `sent` because the reply has more bytes than `sink`
/// accepts. Once the head is there, only a BodySink itself says DataLoss.
bool IsTooLarge(const absl::Status& sent, const BodySink& sink);

/// Sends one request whose body, if any, and reply are JSON. A PATCH is a JSON merge patch (RFC
/// 7386). Blocks until the reply has arrived, and returns its body if its status is 2xx.
///
/// Returns Cancelled after Transport::Stop(), and the transport's other errors with the request in
/// front. DataLoss if the reply does not say that it is JSON: a page of a proxy. OutOfRange, which
/// nothing else is, if the reply has more than `max_reply` bytes. For other HTTP statuses the error
/// names the request and what the server said:
/// - NotFound for 404, and where nothing is created because the namespace is being deleted;
/// - Aborted for 409: somebody else was faster;
/// - PermissionDenied for 401 and 403;
/// - InvalidArgument for 400 and 422;
/// - ResourceExhausted for the 429 of a PodDisruptionBudget: not now;
/// - Unavailable for everything else, such as the 429 of an API server that has too much to do.
absl::StatusOr<std::string> CallJson(Transport& transport, HttpMethod method, std::string target,
                                     std::string body = {}, std::size_t max_reply = kMaxJsonReply);

/// Sends a PATCH whose body is a JSON patch (RFC 6902): a list of operations, of which all are done
/// or none. Otherwise like CallJson(). InvalidArgument also if a `test` among them fails.
absl::StatusOr<std::string> PatchByOperations(Transport& transport, std::string target,
                                              std::string body);

/// Sends a PATCH whose body is a strategic merge patch, otherwise like CallJson(). It adds to lists
/// such as the conditions of a pod, which a JSON merge patch would replace as a whole.
absl::StatusOr<std::string> PatchStrategically(Transport& transport, std::string target,
                                               std::string body);

}  // namespace berth::kube
