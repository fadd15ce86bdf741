// Finds the machine code inside cubins, executables and shared libraries, for the comparison with the oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace warpgauge::sass::tools {

// Called with the architecture number (75, 90 …) and the bytes of one code section.
using CodeVisitor = std::function<void(unsigned sm, std::span<const std::uint8_t> code)>;

// Walks a file: a cubin, or anything that holds fatbins (stored plainly, or compressed with LZ4 or zstd).
// `wanted` is 0 for every architecture. Returns the number of cubins visited; throws when the file cannot be
// read.
std::size_t visit_code(const std::string& path, unsigned wanted, const CodeVisitor& visitor);

}  // namespace warpgauge::sass::tools
