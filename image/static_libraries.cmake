# berth_link_archives() has every third-party library linked statically that Debian ships an archive
# of. Debian's CMake packages name shared libraries alone. Call it where the packages were found.
# What has no archive (fmt, prometheus-cpp, simdjson, spdlog) stays shared, and so does libstdc++,
# which those need, and glibc, which may load more to look up names.

# lib.so.1 of one imported target, in whichever configuration it is known, becomes lib.a.
function(berth_link_archive target)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  set(properties IMPORTED_LOCATION)
  foreach(configuration IN LISTS configurations)
    list(APPEND properties IMPORTED_LOCATION_${configuration})
  endforeach()
  foreach(property IN LISTS properties)
    get_target_property(location ${target} ${property})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${location}")
    if(location AND EXISTS "${archive}")
      set_property(TARGET ${target} PROPERTY ${property} "${archive}")
    endif()
  endforeach()
endfunction()

function(berth_link_archives)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "SHARED|UNKNOWN")
      berth_link_archive(${target})
    endif()
    # What pkg-config found.
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links MATCHES "-lre2")
      list(TRANSFORM links REPLACE
        "^-lre2$" "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libre2.a")
      set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endforeach()
endfunction()
