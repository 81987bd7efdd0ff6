# cmake -DFOLDER=<board/page> -DFILES=<names, separated by commas> -DOUTPUT=<source>
#   -P embed_page.cmake: writes a source that defines berth::board::PageFiles().
set(types_html "text/html; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")
string(REPLACE "," ";" files "${FILES}")
set(entries)
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} content)
  string(REGEX MATCH "[a-z]+$" extension ${file})
  set(path "/${file}")
  if(file STREQUAL "index.html")
    set(path "/")
  endif()
  string(APPEND entries "    {\"${path}\", \"${types_${extension}}\", R\"PAGE(${content})PAGE\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"board/page.h\"

namespace berth::board {

std::span<const PageFile> PageFiles() {
  static constexpr PageFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace berth::board
")
