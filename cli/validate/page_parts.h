// The files of cli/validate/page, as the build put them into the program.
#pragma once

#include <string_view>

namespace warpgauge::cli::page {

std::string_view frame();
std::string_view style();
std::string_view script();
std::string_view chart_style();
std::string_view chart_script();
std::string_view chart_licence();

}  // namespace warpgauge::cli::page
