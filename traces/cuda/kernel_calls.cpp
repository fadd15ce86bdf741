#include "traces/cuda/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "traces/emulator/round_up.h"
#include "traces/emulator/warp.h"

namespace warpgauge::cuda {
namespace {

using emulator::Block;
using emulator::FaultKind;
using emulator::LaneFault;
using emulator::Row;
using emulator::Warp;
using traces::DriverCall;

constexpr std::uint64_t heap_unit = 16;

template <class Work>
void each_lane(std::uint32_t mask, Work&& work) {
  for (; mask != 0; mask &= mask - 1) work(static_cast<unsigned>(std::countr_zero(mask)));
}

std::uint32_t argument32(const Warp& warp, unsigned number, unsigned lane) {
  return source(warp, Row::general(number))[lane];
}

std::uint64_t argument64(const Warp& warp, unsigned number, unsigned lane) {
  return std::uint64_t{argument32(warp, number + 1, lane)} << 32 | argument32(warp, number, lane);
}

void set_result64(Warp& warp, unsigned lane, std::uint64_t value) {
  row(warp, Row::general(4))[lane] = static_cast<std::uint32_t>(value);
  row(warp, Row::general(5))[lane] = static_cast<std::uint32_t>(value >> 32);
}

// Memory as one lane sees it through a generic address.
class LaneMemory {
 public:
  LaneMemory(const Block& block, const Warp& warp, unsigned lane) : block_(block), warp_(warp), lane_(lane) {}

  [[nodiscard]] std::byte byte(std::uint64_t address) const {
    const emulator::LaunchContext& launch = *block_.context;
    if (address - emulator::shared_window < launch.shared_bytes)
      return static_cast<std::byte>(block_.shared[address - emulator::shared_window]);
    if (const std::uint64_t offset = address - emulator::local_window; offset < launch.local_bytes) {
      const std::uint64_t words = launch.local_bytes / 4;
      const std::uint32_t word = block_.local[(warp_.index * words + offset / 4) * emulator::lanes + lane_];
      return static_cast<std::byte>(word >> (offset % 4 * 8));
    }
    if (launch.memory->find(address) == nullptr)
      throw LaneFault{FaultKind::illegal_address,
                      fmt::format("an argument of a system call at {:#x} is out of bounds", address), lane_};
    return *launch.memory->host(address);
  }

  template <class T>
  [[nodiscard]] T read(std::uint64_t address) const {
    std::byte bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = byte(address + i);
    return std::bit_cast<T>(bytes);
  }

  [[nodiscard]] std::string text(std::uint64_t address) const {
    std::string text;
    if (address == 0) return "(null)";
    for (char c; (c = static_cast<char>(byte(address++))) != '\0';) text += c;
    return text;
  }

 private:
  const Block& block_;
  const Warp& warp_;
  unsigned lane_;
};

template <class... Values>
std::string format_one(const std::string& conversion, Values... values) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), values...);
  if (length <= 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), conversion.c_str(), values...);
  text.pop_back();
  return text;
}

// The arguments of a device-side printf: as in a struct, each aligned to its size.
class PackedArguments {
 public:
  PackedArguments(const LaneMemory& memory, std::uint64_t address) : memory_(memory), address_(address) {}

  template <class T>
  T next() {
    offset_ = emulator::round_up(offset_, sizeof(T));
    const T value = memory_.read<T>(address_ + offset_);
    offset_ += sizeof(T);
    ++taken_;
    return value;
  }
  std::string next_text() {
    std::string text = memory_.text(next<std::uint64_t>());
    text_characters_ += text.size();
    return text;
  }
  [[nodiscard]] std::uint32_t taken() const { return taken_; }
  [[nodiscard]] std::size_t text_characters() const { return text_characters_; }

 private:
  const LaneMemory& memory_;
  std::uint64_t address_;
  std::uint64_t offset_ = 0;
  std::uint32_t taken_ = 0;
  std::size_t text_characters_ = 0;
};

// One conversion, from after its '%' on; moves `at` past it.
std::string convert(const std::string& format, std::size_t& at, PackedArguments& arguments) {
  std::string flags = "%";
  bool wide = false;
  for (; at < format.size(); ++at) {
    const char c = format[at];
    if (std::strchr("-+ #0123456789.", c) != nullptr) {
      flags += c;
    } else if (c == '*') {
      flags += std::to_string(arguments.next<std::int32_t>());
    } else if (std::strchr("lqjzt", c) != nullptr) {
      wide = true;
    } else if (c != 'h' && c != 'L') {
      break;
    } else if (c == 'h') {
      flags += 'h';
    }
  }
  if (at >= format.size()) return flags;
  const char kind = format[at++];
  switch (kind) {
    case '%':
      return "%";
    case 'd':
    case 'i':
      if (wide) return format_one(flags + "lld", static_cast<long long>(arguments.next<std::int64_t>()));
      return format_one(flags + "d", arguments.next<std::int32_t>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (wide)
        return format_one(flags + "ll" + kind,
                          static_cast<unsigned long long>(arguments.next<std::uint64_t>()));
      return format_one(flags + kind, arguments.next<std::uint32_t>());
    case 'c':
      return format_one(flags + "c", arguments.next<std::int32_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return format_one(flags + kind, arguments.next<double>());
    case 'p':
      return format_one(flags + "p", reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
    case 's':
      return format_one(flags + "s", arguments.next_text().c_str());
    default:
      return flags + kind;
  }
}

DriverCall call_of(DriverCall::Function function, std::uint32_t mask) {
  DriverCall call;
  call.function = function;
  call.lanes = static_cast<std::uint8_t>(std::popcount(mask));
  call.passed = static_cast<std::uint8_t>(std::bit_width(mask) - call.lanes);
  return call;
}

// The larger of the two, as far as the first one's type has room.
template <class T>
T larger(T known, std::size_t other) {
  return static_cast<T>(std::clamp<std::size_t>(other, known, std::numeric_limits<T>::max()));
}

// Printed at once: the host's standard output is the program's own.
DriverCall print(const Block& block, Warp& warp, std::uint32_t mask) {
  DriverCall call = call_of(DriverCall::Function::print, mask);
  each_lane(mask, [&](unsigned lane) {
    const LaneMemory memory(block, warp, lane);
    const std::uint64_t format_address = argument64(warp, 4, lane);
    std::uint32_t result = ~std::uint32_t{0};
    if (format_address != 0) {
      const std::string format = memory.text(format_address);
      PackedArguments arguments(memory, argument64(warp, 6, lane));
      std::string line;
      for (std::size_t at = 0; at < format.size();) {
        const char c = format[at++];
        line += c == '%' ? convert(format, at, arguments) : std::string(1, c);
      }
      call.arguments = larger(call.arguments, arguments.taken());
      call.characters = larger(call.characters, format.size());
      call.string_characters = larger(call.string_characters, arguments.text_characters());
      std::fwrite(line.data(), 1, line.size(), stdout);
      result = arguments.taken();
    }
    row(warp, Row::general(4))[lane] = result;
  });
  return call;
}

[[noreturn]] void fail_assertion(const Block& block, const Warp& warp, std::uint32_t mask) {
  std::string message;
  each_lane(mask, [&](unsigned lane) {
    const LaneMemory memory(block, warp, lane);
    message = memory.text(argument64(warp, 4, lane));
    const traces::Dim3& shape = block.context->shape.block;
    const std::uint32_t thread = warp.index * emulator::lanes + lane;
    const traces::Dim3& at = block.coordinates;
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                 memory.text(argument64(warp, 6, lane)).c_str(), argument32(warp, 8, lane),
                 memory.text(argument64(warp, 10, lane)).c_str(), at.x, at.y, at.z, thread % shape.x,
                 thread / shape.x % shape.y, thread / shape.x / shape.y, message.c_str());
  });
  throw LaneFault{FaultKind::assertion, "`" + message + "`", static_cast<unsigned>(std::countr_zero(mask))};
}

}  // namespace

void DeviceHeap::prepare() {
  if (begin_ != 0 || limit_ == 0) return;
  const auto begin = memory_.allocate(limit_, "heap of the kernels");
  if (!begin) return;
  begin_ = *begin;
  free_[begin_] = limit_;
}

bool DeviceHeap::set_limit(std::uint64_t bytes) {
  if (begin_ != 0) return false;
  limit_ = emulator::round_up(bytes, heap_unit);
  return true;
}

emulator::DeviceAddress DeviceHeap::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::scoped_lock lock(mutex_);
  if (bytes == 0 || bytes > limit_ || !std::has_single_bit(alignment)) return 0;
  const std::uint64_t size = emulator::round_up(bytes, heap_unit);
  const auto place = [step = std::max(alignment, heap_unit)](emulator::DeviceAddress address) { return emulator::round_up(address, step); };
  const auto hole = std::find_if(free_.begin(), free_.end(), [&](const auto& entry) {
    const std::uint64_t before = place(entry.first) - entry.first;
    return entry.second >= before && entry.second - before >= size;
  });
  if (hole == free_.end()) return 0;
  const auto [begin, room] = *hole;
  const emulator::DeviceAddress address = place(begin);
  free_.erase(hole);
  if (address > begin) free_[begin] = address - begin;
  if (begin + room > address + size) free_[address + size] = begin + room - (address + size);
  used_[address] = size;
  return address;
}

bool DeviceHeap::release(emulator::DeviceAddress address) {
  const std::scoped_lock lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  auto hole = free_.emplace(address, found->second).first;
  used_.erase(found);
  if (const auto next = std::next(hole); next != free_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    free_.erase(next);
  }
  if (hole != free_.begin()) {
    if (const auto before = std::prev(hole); before->first + before->second == hole->first) {
      before->second += hole->second;
      free_.erase(hole);
    }
  }
  return true;
}

DriverCall KernelCalls::call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) {
  if (function == "vprintf") return print(block, warp, mask);
  if (function == "malloc" || function == "__cuda_syscall_aligned_malloc") {
    const bool aligned = function != "malloc";
    each_lane(mask, [&](unsigned lane) {
      const std::uint64_t alignment = aligned ? argument64(warp, 6, lane) : 1;
      set_result64(warp, lane, heap_.allocate(argument64(warp, 4, lane), alignment));
    });
    return call_of(DriverCall::Function::allocate, mask);
  }
  if (function == "free") {
    each_lane(mask, [&](unsigned lane) {
      const std::uint64_t address = argument64(warp, 4, lane);
      if (address != 0 && !heap_.release(address))
        throw LaneFault{FaultKind::illegal_address,
                        fmt::format("free of {:#x}, which malloc did not give", address), lane};
    });
    return call_of(DriverCall::Function::release, mask);
  }
  if (function == "__assertfail") fail_assertion(block, warp, mask);
  throw LaneFault{FaultKind::unsupported_instruction, "a call of " + function + ", which is not served",
                  static_cast<unsigned>(std::countr_zero(mask))};
}

}  // namespace warpgauge::cuda
