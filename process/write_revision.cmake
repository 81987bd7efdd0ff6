# cmake -DSOURCE=<repository> -DOUTPUT=<header> -P write_revision.cmake: defines BERTH_REVISION. Run
# by every build, because a commit changes no file that CMake knows; what did not change is left
# alone, so nothing is compiled again.
set(revision unknown)
execute_process(
  COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed)
  set(revision ${described})
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define BERTH_REVISION \"${revision}\"\n")
