#include "policies/admission/wording.h"

#include <algorithm>
#include <utility>

#include "model/utf8.h"

namespace berth::policies::admission {

namespace {

constexpr std::string_view kCut = "...";
/// The most bytes of each part of an objection. The API server accepts more, but nobody reads it.
constexpr std::size_t kMaxPart = 200;

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7f; }

// Whether `text` begins with U+0080 to U+009F, control characters of two bytes.
bool IsLongControl(std::string_view text) {
  return text.size() > 1 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

void BlankControls(std::string& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (IsLongControl(std::string_view(line).substr(i))) line[i] = line[i + 1] = ' ';
    if (IsControl(static_cast<unsigned char>(line[i]))) line[i] = ' ';
  }
}

// The visible characters of the text, up to the first that makes them more than `size` bytes.
std::string Visible(std::string_view text, std::size_t size) {
  std::string visible;
  while (!text.empty() && visible.size() <= size) {
    if (const std::size_t invisible = model::InvisibleBytes(text)) {
      text.remove_prefix(invisible);
    } else {
      visible += text.front();
      text.remove_prefix(1);
    }
  }
  return visible;
}

// Shortens each part by itself, so that a long value does not displace the advice.
Objection Shortened(const Objection& objection) {
  return {.field = OneLine(objection.field, kMaxPart),
          .reason = OneLine(objection.reason, kMaxPart),
          .advice = OneLine(objection.advice, kMaxPart)};
}

}  // namespace

std::string OneLine(std::string_view text, std::size_t size) {
  std::string line = Visible(text, size);
  if (line.size() > size) {
    line.resize(model::WholeCharacters(line, size - kCut.size()).size());
    line += kCut;
  }
  BlankControls(line);
  return line;
}

std::string ToString(const Objection& objection) {
  return objection.field + " " + objection.reason + "; " + objection.advice;
}

void Warnings::Add(std::string_view prefix, std::string_view text) {
  AddLine(OneLine(std::string(prefix) + std::string(text), kMaxWarning));
}

void Warnings::Add(std::string_view prefix, const Objection& objection) {
  std::string text = std::string(prefix) + ToString(objection);
  if (text.size() > kMaxForetold) {
    const std::string advice = OneLine(objection.advice, kMaxForetold / 3);
    const std::string field = OneLine(objection.field, kMaxForetold / 3);
    const std::size_t rest = kMaxForetold - prefix.size() - field.size() - advice.size() - 3;
    text = std::string(prefix) + ToString({field, OneLine(objection.reason, rest), advice});
  }
  AddLine(OneLine(text, kMaxForetold));
}

void Warnings::AddLine(std::string warning) {
  if (std::ranges::find(texts_, warning) != texts_.end()) return;
  if (texts_.size() < kMaxWarnings) {
    texts_.push_back(std::move(warning));
  } else {
    ++more_;
  }
}

std::vector<std::string> Warnings::Take() {
  if (more_ > 0) texts_.back() = "berth: and " + std::to_string(more_ + 1) + " more like this";
  return std::move(texts_);
}

void Denial::Add(std::string_view policy, const std::vector<Objection>& objections) {
  for (const Objection& objection : objections) {
    if (named_ == kMaxObjections) {
      ++more_;
      continue;
    }
    ++named_;
    if (!text_.empty()) text_ += ". ";
    text_ += "berth " + std::string(policy) + ": " + ToString(Shortened(objection));
  }
}

std::string Denial::Text() const {
  return more_ == 0 ? text_ : text_ + ". And " + std::to_string(more_) + " more like this";
}

}  // namespace berth::policies::admission
