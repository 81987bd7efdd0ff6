#pragma once

#include <string>
#include <string_view>

// Sentences of policies name containers, sizes and places. Without these, many objects get the same
// sentence.

namespace berth::report {

/// Returns the sentence without what differs between objects that have the same fault: a name or a
/// list of names in quotes becomes '*', a number with its unit N, what stands in brackets (*), and
/// the path of a template that of a pod. Sentences with equal patterns are counted together.
///
///   cpu and memory of 'a', 'b' and 3 more set to 8 cores, 80Gi (2 x V100); set your own limits
///   cpu and memory of '*' set to N cores, N (*); set your own limits
std::string PatternOf(std::string_view sentence);

/// Returns what the sentence says to write instead, which stands behind its last "; ". Empty if it
/// does not say.
std::string_view AdviceIn(std::string_view sentence);

}  // namespace berth::report
