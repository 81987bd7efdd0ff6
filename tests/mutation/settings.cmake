# Included by project(): the libraries that get broken are compiled source by source and without
# optimisation, since one of them is compiled again for each mutant, and warn of nothing, since what
# a mutant leaves unused is no fault of the compiler's to find.
function(berth_mutation_settings)
  foreach(library policies cluster extender admission placement controller)
    set_target_properties(berth_${library} PROPERTIES UNITY_BUILD OFF)
    target_compile_options(berth_${library} PRIVATE -O0 -g0 -w -D_GLIBCXX_ASSERTIONS)
  endforeach()
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL berth_mutation_settings)
