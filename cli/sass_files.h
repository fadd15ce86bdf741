// Reading the files that `warpgauge sass` is given: errors name the file as well as the place in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/cubin/cubin.h"

namespace warpgauge::cli {

// "sm_90", "sm90" or "90", also of architectures that are not decoded: their cubins can still be listed and
// extracted. Nothing for an empty text.
std::optional<unsigned> sm_number(const std::string& text);

// The cubins and PTX in an executable, library, archive, fat binary or cubin; at least one.
std::vector<cubin::FatbinEntry> entries_of(const std::string& path, const cubin::MappedFile& file);

cubin::Bytes extracted(const std::string& path, const cubin::MappedFile& file,
                       const cubin::FatbinEntry& entry);

cubin::Image image_of(const std::string& path, const cubin::Bytes& bytes);

}  // namespace warpgauge::cli
