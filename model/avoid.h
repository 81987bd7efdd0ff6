#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"

// The annotation `avoid` of a node: whose pods have failed there and shall begin elsewhere, until
// when. The controller writes it, and policies read it.
//
//   berth.dev/avoid: 7b1e...-44=2026-01-31T12:00:00Z,0d52...-91=2026-01-31T12:30:00Z

namespace berth::model {

/// One entry of the annotation. A plain value.
struct Avoided {
  /// The UID of what controls the pods, such as a Job. Never empty.
  std::string owner;
  /// The entry has expired at this time.
  Time until = kNoTime;

  friend bool operator==(const Avoided&, const Avoided&) = default;
};

/// The most entries that a node has. A node on which more fail is broken for everybody, and its
/// detector should say so.
inline constexpr std::size_t kMostAvoided = 16;

/// Whether an entry can be about this object: 1 to 64 letters, digits and hyphens, as UIDs have.
/// The API server stores any text as the UID of an owner that somebody writes into a pod.
bool IsAvoidOwner(std::string_view uid);

/// Returns the entries in their order. What cannot be read is left out, and so is everything after
/// kMostAvoided entries.
std::vector<Avoided> ParseAvoided(std::string_view text);

/// Returns the text of these entries, whose owners must be such as IsAvoidOwner() says.
/// ParseAvoided() is its inverse.
std::string AvoidedText(const std::vector<Avoided>& entries);

/// Returns until when the entry for `owner` holds; nothing if there is none.
std::optional<Time> AvoidedUntil(std::string_view text, std::string_view owner);

/// Reads a time in RFC 3339 whose year in UTC has four digits. Returns nothing for all other texts.
std::optional<Time> TimeFromRfc3339(std::string_view text);

/// Writes a time so, in UTC.
std::string Rfc3339Text(Time time);

}  // namespace berth::model
