#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

// JSON as it stands in a text, found by its brackets and quotes: for what has to be known of a text
// before it may cost the memory that a parser takes, a dozen times its size.

namespace berth::kube {

/// How many values a parser would find in `text` at most, members and items; counting ends beyond
/// `enough`. In a time that is proportional to the text; takes no memory.
std::size_t CountValues(std::string_view text, std::size_t enough);

/// One value in a text that outlives it. Whether it is valid within is for a parser to say.
class JsonText {
 public:
  /// The value that begins `text`, with nothing but blanks around it.
  explicit JsonText(std::string_view text);

  /// Without blanks around it; empty where there was nothing else.
  std::string_view text() const { return text_; }

  bool IsNull() const { return text_ == "null"; }
  bool IsObject() const { return text_.starts_with('{'); }
  bool IsArray() const { return text_.starts_with('['); }

  /// What is between the quotes of a string without escapes; nothing of any other value.
  std::optional<std::string_view> PlainString() const;

  /// Whether it is a string that means `name`, which consists of ASCII letters, however it is
  /// escaped.
  bool Spells(std::string_view name) const;

  /// Calls visit(JsonText key, JsonText value) for each member of an object, in their order, until
  /// it returns false. Whether this is an object that ends where the text does. Of one that is cut
  /// off, the last value that was begun is visited, too.
  template <typename Visit>
  bool ForEachMember(Visit visit) const {
    Cursor cursor(text_);
    if (!cursor.Take('{')) return false;
    if (cursor.Take('}')) return cursor.AtEnd();
    do {
      const JsonText key(cursor.Value());
      if (!key.text_.starts_with('"') || !cursor.Take(':')) return false;
      const std::string_view value = cursor.Value();
      if (value.empty()) return false;
      if (!visit(key, JsonText(value))) return true;
    } while (cursor.Take(','));
    return cursor.Take('}') && cursor.AtEnd();
  }

  /// The same for the items of an array.
  template <typename Visit>
  bool ForEachItem(Visit visit) const {
    Cursor cursor(text_);
    if (!cursor.Take('[')) return false;
    if (cursor.Take(']')) return cursor.AtEnd();
    do {
      const std::string_view value = cursor.Value();
      if (value.empty()) return false;
      if (!visit(JsonText(value))) return true;
    } while (cursor.Take(','));
    return cursor.Take(']') && cursor.AtEnd();
  }

  /// The first member of an object by that name, of ASCII letters, unless it is null. Of an object
  /// that is cut off, it may be cut off, too.
  std::optional<JsonText> Member(std::string_view name) const;

 private:
  class Cursor {
   public:
    explicit Cursor(std::string_view text) : text_(text) {}
    /// Whether `mark` came next; then it is behind.
    bool Take(char mark);
    /// The value that comes next, to the end of the text where it does not end before; empty: none.
    std::string_view Value();
    bool AtEnd();

   private:
    void SkipBlanks();

    std::string_view text_;
    std::size_t at_ = 0;
  };

  std::string_view text_;
};

}  // namespace berth::kube
