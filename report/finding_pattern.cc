#include "report/finding_pattern.h"

#include <algorithm>
#include <cctype>

namespace berth::report {

namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.'; }

// Where the path of a pod's spec begins in a sentence that begins with a field of its template.
std::size_t SpecOfPod(std::string_view sentence) {
  constexpr std::string_view kTemplate = "template.spec";
  if (!sentence.starts_with("spec.")) return 0;
  const std::string_view field = sentence.substr(0, sentence.find(' '));
  const std::size_t found = field.rfind(kTemplate);
  return found == std::string_view::npos ? 0 : found + kTemplate.size() - 4;
}

// Consumes `text` if `rest` begins with it.
bool Take(std::string_view text, std::string_view& rest) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

// Consumes a name in quotes if `rest` begins with one.
bool TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('\'')) return false;
  const std::size_t end = rest.find('\'', 1);
  if (end == std::string_view::npos) return false;
  rest.remove_prefix(end + 1);
  return true;
}

void TakeDigits(std::string_view& rest) {
  while (!rest.empty() && IsDigit(rest.front())) rest.remove_prefix(1);
}

// Consumes what follows a name in a list: ", 'b' and 'c'", " and 3 more".
void TakeMoreNames(std::string_view& rest) {
  while (true) {
    std::string_view next = rest;
    if (!Take(", ", next) && !Take(" and ", next)) return;
    if (!TakeQuoted(next)) {
      const std::size_t before = next.size();
      TakeDigits(next);
      if (next.size() == before || !Take(" more", next)) return;
    }
    rest = next;
  }
}

void TakeBrackets(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
}

void TakeNumber(std::string_view& rest) {
  while (!rest.empty() && IsWord(rest.front())) rest.remove_prefix(1);
}

}  // namespace

std::string PatternOf(std::string_view sentence) {
  std::string pattern;
  sentence.remove_prefix(SpecOfPod(sentence));
  while (!sentence.empty()) {
    if (TakeQuoted(sentence)) {
      TakeMoreNames(sentence);
      pattern += "'*'";
    } else if (sentence.front() == '(') {
      TakeBrackets(sentence);
      pattern += "(*)";
    } else if (IsDigit(sentence.front()) && (pattern.empty() || !IsWord(pattern.back()))) {
      TakeNumber(sentence);
      pattern += 'N';
    } else {
      pattern += sentence.front();
      sentence.remove_prefix(1);
    }
  }
  return pattern;
}

std::string_view AdviceIn(std::string_view sentence) {
  const std::size_t found = sentence.rfind("; ");
  return found == std::string_view::npos ? std::string_view() : sentence.substr(found + 2);
}

}  // namespace berth::report
