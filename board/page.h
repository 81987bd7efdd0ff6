#pragma once

#include <span>
#include <string_view>

namespace berth::board {

/// A file of the page. Its texts are in the binary.
struct PageFile {
  /// "/" for the page itself.
  std::string_view path;
  std::string_view content_type;
  std::string_view content;
};

/// The files in board/page/, which the build puts into the binary: embed_page.cmake.
std::span<const PageFile> PageFiles();

}  // namespace berth::board
