#include "traces/native/difference.h"

#include <fmt/format.h>

#include <bit>

#include "traces/native/walk.h"
#include "traces/sass/print.h"

namespace warpgauge::native {
namespace {

std::string values(const char* what, std::uint64_t a, std::uint64_t b) {
  return fmt::format("{}: {} and {}", what, a, b);
}
std::string hexes(const std::string& what, std::uint64_t a, std::uint64_t b) {
  return fmt::format("{}: {:#x} and {:#x}", what, a, b);
}

std::optional<std::string> shape_difference(const traces::LaunchShape& a, const traces::LaunchShape& b) {
  if (a.kernel != b.kernel) return fmt::format("kernel: {} and {}", a.kernel, b.kernel);
  if (a.architecture != b.architecture)
    return fmt::format("architecture: {} and {}", sass::name(a.architecture), sass::name(b.architecture));
  const auto sizes = [](const char* what, const traces::Dim3& one, const traces::Dim3& other) {
    return fmt::format("{}: ({}, {}, {}) and ({}, {}, {})", what, one.x, one.y, one.z, other.x, other.y,
                       other.z);
  };
  if (a.grid != b.grid) return sizes("grid", a.grid, b.grid);
  if (a.block != b.block) return sizes("block", a.block, b.block);
  if (a.registers_per_thread != b.registers_per_thread)
    return values("registers", a.registers_per_thread, b.registers_per_thread);
  const std::uint32_t shared[] = {a.static_shared_bytes + a.dynamic_shared_bytes,
                                  b.static_shared_bytes + b.dynamic_shared_bytes};
  if (shared[0] != shared[1]) return values("shared bytes", shared[0], shared[1]);
  return std::nullopt;
}

}  // namespace

std::string compare(const traces::Issued& a, const traces::Issued& b) {
  if (a.active_mask != b.active_mask) return hexes("active lanes", a.active_mask, b.active_mask);
  if (a.executed_mask != b.executed_mask) return hexes("executing lanes", a.executed_mask, b.executed_mask);
  if (a.exited != b.exited) return values("exited", a.exited, b.exited);
  if (!a.exited && !a.blocked && !b.blocked && a.next != b.next)
    return hexes("next instruction", a.next * sass::instruction_bytes, b.next * sass::instruction_bytes);
  if (a.space != b.space)
    return values("memory space", static_cast<unsigned>(a.space), static_cast<unsigned>(b.space));
  if (a.access != b.access)
    return values("kind of access", static_cast<unsigned>(a.access), static_cast<unsigned>(b.access));
  if (a.bytes_per_lane != b.bytes_per_lane) return values("bytes a lane", a.bytes_per_lane, b.bytes_per_lane);
  if (a.barrier != b.barrier) return values("barrier", a.barrier, b.barrier);
  // 0 where a trace does not know.
  if (a.measure != b.measure && a.measure != 0 && b.measure != 0)
    return values("values among the lanes, or bits of what they hold", a.measure, b.measure);
  if (a.call != b.call) return values("function of the driver, or what it is given", static_cast<unsigned>(a.call.function), static_cast<unsigned>(b.call.function));
  if (a.access == traces::MemoryAccess::none) return "";
  if ((a.texels == nullptr) != (b.texels == nullptr)) return values("texels", a.texels != nullptr, b.texels != nullptr);
  if (a.texels != nullptr) {
    if (a.texels->handle != b.texels->handle) return values("texture", a.texels->handle, b.texels->handle);
    if (a.texels->requests != b.texels->requests) return values("requests for texels", a.texels->requests, b.texels->requests);
    if (a.texels->piece_count() != b.texels->piece_count())
      return values("pieces that texels lie in", a.texels->piece_count(), b.texels->piece_count());
    for (unsigned i = 0; i < a.texels->piece_count(); ++i)
      if (a.texels->pieces[i] != b.texels->pieces[i])
        return hexes(fmt::format("piece {} that texels lie in", i), a.texels->pieces[i], b.texels->pieces[i]);
  }
  for (std::uint32_t rest = a.executed_mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (a.addresses[lane] != b.addresses[lane])
      return hexes(fmt::format("address of lane {}", lane), a.addresses[lane], b.addresses[lane]);
    if (a.access == traces::MemoryAccess::copy && a.shared_addresses[lane] != b.shared_addresses[lane])
      return hexes(fmt::format("shared address of lane {}", lane), a.shared_addresses[lane],
                   b.shared_addresses[lane]);
  }
  return "";
}

std::optional<std::string> first_difference(const KernelTrace& a, const KernelTrace& b) {
  if (auto difference = shape_difference(a.info().shape, b.info().shape)) return difference;
  if (a.code().size() != b.code().size())
    return values("instructions of the code", a.code().size(), b.code().size());
  for (std::size_t i = 0; i < a.code().size(); ++i)
    if (a.code()[i].word != b.code()[i].word)
      return fmt::format("code at {:#x}: {} and {}", i * sass::instruction_bytes, sass::print(a.code()[i]),
                         sass::print(b.code()[i]));
  BlockStreams one;
  BlockStreams other;
  traces::Issued x;
  traces::Issued y;
  for (std::uint64_t block = 0; block < a.blocks(); ++block) {
    one.begin(a, block);
    other.begin(b, block);
    for (unsigned w = 0; w < one.warps(); ++w) {
      for (std::uint64_t n = 0; !one.warp(w).exited() || !other.warp(w).exited(); ++n) {
        const auto place = [&](std::uint32_t index) {
          return fmt::format("block {} warp {} instruction {} at {:#x} ({}): ", block, w, n,
                             index * sass::instruction_bytes, sass::print(a.code()[index]));
        };
        if (one.warp(w).exited() != other.warp(w).exited())
          return fmt::format("block {} warp {}: {} ends after {} instructions", block, w,
                             one.warp(w).exited() ? "the first" : "the second", n);
        const std::uint32_t index = advance(one, w, x);
        const std::uint32_t other_index = advance(other, w, y);
        if (index != other_index)
          return place(index) +
                 hexes("instruction", index * sass::instruction_bytes, other_index * sass::instruction_bytes);
        if (const std::string difference = compare(x, y); !difference.empty())
          return place(index) + difference;
      }
    }
  }
  return std::nullopt;
}

}  // namespace warpgauge::native
