# Opens PAGE, the page of a study, in a browser, on narrow and wide windows, in SCHEME light or dark; see harness.html.
#   cmake -DCHROMIUM=chromium -DPAGE=FOLDER/index.html -DSCHEME=dark -P chromium.cmake
get_filename_component(page "${PAGE}" ABSOLUTE)
if(NOT EXISTS "${page}")
  message(FATAL_ERROR "There is no ${page}")
endif()
get_filename_component(folder "${page}" DIRECTORY)
if(SCHEME STREQUAL "dark")
  set(scheme 0)
else()
  set(scheme 1)
endif()

# A path as it stands in an address.
function(address path result)
  foreach(pair "%|%25" " |%20" "#|%23" "?|%3F" "&|%26" "+|%2B")
    string(SUBSTRING "${pair}" 0 1 from)
    string(SUBSTRING "${pair}" 2 -1 to)
    string(REPLACE "${from}" "${to}" path "${path}")
  endforeach()
  set(${result} "file://${path}" PARENT_SCOPE)
endfunction()
address("${CMAKE_CURRENT_LIST_DIR}/harness.html" harness)
address("${page}" address_of_page)
address("${address_of_page}" query)  # once more, as a value in the other's address
string(REGEX REPLACE "^file://" "" query "${query}")

set(wrong "")
file(READ "${page}" html)
string(REGEX MATCHALL "href=\"[^\"#:]+\"" links "${html}")
foreach(link IN LISTS links)
  string(REGEX REPLACE "href=\"(.*)\"" "\\1" link "${link}")
  if(NOT EXISTS "${folder}/${link}")
    string(APPEND wrong "a link leads to ${link}, which is not there\n")
  endif()
endforeach()

string(RANDOM LENGTH 12 name)
set(profile "$ENV{TMPDIR}")
if(NOT profile)
  set(profile /tmp)
endif()
set(profile "${profile}/sconet-browser-${name}")
execute_process(
  COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
          --disable-component-update --disable-sync --disable-dev-shm-usage --allow-file-access-from-files
          --user-data-dir=${profile} --blink-settings=preferredColorScheme=${scheme} --enable-logging=stderr
          --window-size=2000,1000 --virtual-time-budget=10000 --dump-dom "${harness}?page=${query}"
  OUTPUT_VARIABLE dom ERROR_VARIABLE messages RESULT_VARIABLE result TIMEOUT 120)
file(REMOVE_RECURSE "${profile}")

if(NOT dom MATCHES "<pre id=\"verdict\">([^<]*)</pre>")
  message(FATAL_ERROR "The browser gave no verdict (${result}):\n${messages}")
endif()
if(NOT CMAKE_MATCH_1 STREQUAL "good")
  string(APPEND wrong "${CMAKE_MATCH_1}\n")
endif()
string(REGEX MATCHALL "[^\n]*CONSOLE[^\n]*" console "${messages}")
foreach(line IN LISTS console)
  string(APPEND wrong "${line}\n")
endforeach()
if(wrong)
  message(FATAL_ERROR "${page}, ${SCHEME}:\n${wrong}")
endif()
