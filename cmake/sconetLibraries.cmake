# The libraries behind some table formats. The build finds them with this file, and so does the installed package, so
# that whoever links the static library gets the same ones.

# sconet_find_library(NAME HEADER LIBRARY): the imported target sconet::NAME, or SCONET_MISSING says what is missing.
function(sconet_find_library name header library)
  if(TARGET sconet::${name})
    return()
  endif()
  find_path(SCONET_${name}_INCLUDE_DIR ${header})
  find_library(SCONET_${name}_LIBRARY ${library})
  mark_as_advanced(SCONET_${name}_INCLUDE_DIR SCONET_${name}_LIBRARY)
  if(NOT SCONET_${name}_INCLUDE_DIR OR NOT SCONET_${name}_LIBRARY)
    set(SCONET_MISSING "${name} (${header} and the library ${library})" PARENT_SCOPE)
    return()
  endif()
  # Global, for a project that has sconet as a subdirectory and links it from outside.
  add_library(sconet::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(sconet::${name} PROPERTIES
    IMPORTED_LOCATION "${SCONET_${name}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SCONET_${name}_INCLUDE_DIR}")
endfunction()

set(SCONET_MISSING "")
if(SCONET_WITH_ZLIB)
  sconet_find_library(zlib zlib.h z)
endif()
if(SCONET_WITH_ZSTD)
  sconet_find_library(zstd zstd.h zstd)
endif()
if(SCONET_WITH_MATIO)
  sconet_find_library(matio matio.h matio)
endif()
