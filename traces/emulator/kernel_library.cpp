#include "traces/emulator/kernel_library.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <limits>

#include "traces/emulator/access.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint64_t heap_alignment = 16;

std::uint64_t register_pair(Warp& warp, unsigned number, unsigned lane) {
  const std::uint64_t high = row(warp, Row::general(number + 1))[lane];
  return (high << 32) | row(warp, Row::general(number))[lane];
}

void set_pair(Warp& warp, unsigned number, unsigned lane, std::uint64_t value) {
  row(warp, Row::general(number))[lane] = static_cast<std::uint32_t>(value);
  row(warp, Row::general(number + 1))[lane] = static_cast<std::uint32_t>(value >> 32);
}

// A byte at a generic address, as the lane sees it.
std::uint8_t byte_at(const Block& block, const Warp& warp, unsigned lane, std::uint64_t address) {
  if (const std::uint64_t offset = address - local_window; offset < block.context->local_bytes) {
    const std::uint64_t words = block.context->local_bytes / 4;
    const std::uint32_t word = block.local[(warp.index * words + offset / 4) * lanes + lane];
    return static_cast<std::uint8_t>(word >> (8 * (offset % 4)));
  }
  if (const std::uint64_t offset = address - shared_window; offset < block.context->shared_bytes)
    return block.shared[offset];
  if (block.context->memory->find(address) == nullptr)
    throw LaneFault{FaultKind::illegal_address,
                    fmt::format("an argument of a system call at {:#x} is out of bounds", address), lane};
  return static_cast<std::uint8_t>(*block.context->memory->host(address));
}

std::string text_at(const Block& block, const Warp& warp, unsigned lane, std::uint64_t address) {
  constexpr std::size_t longest = 65536;
  std::string text;
  for (;; ++address) {
    const std::uint8_t byte = byte_at(block, warp, lane, address);
    if (byte == 0 || text.size() == longest) return text;
    text.push_back(static_cast<char>(byte));
  }
}

// The arguments of vprintf: values one after the other, each at a multiple of its size.
class Arguments {
 public:
  Arguments(const Block& block, const Warp& warp, unsigned lane, std::uint64_t address)
      : block_(block), warp_(warp), lane_(lane), address_(address) {}

  std::uint64_t take(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    for (unsigned k = 0; k < bytes; ++k)
      value |= std::uint64_t{byte_at(block_, warp_, lane_, address_ + offset_ + k)} << (8 * k);
    offset_ += bytes;
    return value;
  }

 private:
  const Block& block_;
  const Warp& warp_;
  unsigned lane_;
  std::uint64_t address_;
  std::uint64_t offset_ = 0;
};

template <class T>
std::string formatted(const std::string& specification, T value) {
  // A specification asks for one value of type T at most: format() has taken it apart.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length < 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

// Digits of a width or a precision, or the argument that '*' stands for; kept within reason.
void append_number(std::string& specification, const std::string& text, std::size_t& at,
                   Arguments& arguments) {
  constexpr long most = 4096;
  long number = 0;
  bool present = false;
  if (at < text.size() && text[at] == '*') {
    number = static_cast<std::int32_t>(arguments.take(4));
    present = true;
    ++at;
  } else {
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      number = std::min(most, number * 10 + (text[at] - '0'));
      present = true;
    }
  }
  if (present) specification += std::to_string(std::clamp(number, -most, most));
}

std::string format(const Block& block, const Warp& warp, unsigned lane, const std::string& text,
                   Arguments& arguments) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      out += text[at++];
      continue;
    }
    const std::size_t begin = at++;
    std::string specification = "%";
    while (at < text.size() && std::strchr("-+ #0", text[at]) != nullptr) specification += text[at++];
    append_number(specification, text, at, arguments);
    if (at < text.size() && text[at] == '.') {
      specification += text[at++];
      append_number(specification, text, at, arguments);
    }
    unsigned longs = 0;
    for (; at < text.size() && std::strchr("hlLzjt", text[at]) != nullptr; ++at)
      longs += text[at] == 'h' ? 0U : 1U;
    if (at == text.size()) return out + text.substr(begin);
    const char conversion = text[at++];
    const unsigned bytes = longs != 0 ? 8 : 4;
    switch (conversion) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i': {
        const std::uint64_t value = arguments.take(bytes);
        const long long widened =
            bytes == 8 ? static_cast<long long>(value) : static_cast<std::int32_t>(value);
        out += formatted(specification + "ll" + conversion, widened);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        out += formatted(specification + "ll" + conversion,
                         static_cast<unsigned long long>(arguments.take(bytes)));
        break;
      case 'c':
        out += formatted(specification + 'c', static_cast<int>(arguments.take(4)));
        break;
      case 'p':
        out += fmt::format("{:#x}", arguments.take(8));
        break;
      case 's':
        out += formatted(specification + 's', text_at(block, warp, lane, arguments.take(8)).c_str());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        out += formatted(specification + conversion, std::bit_cast<double>(arguments.take(8)));
        break;
      default:
        out += text.substr(begin, at - begin);
    }
  }
  return out;
}

}  // namespace

KernelLibrary::KernelLibrary(DeviceMemory& memory, std::function<void(std::string_view)> print,
                             std::uint64_t heap_bytes)
    : memory_(&memory), print_(std::move(print)), heap_bytes_(heap_bytes) {
  if (const auto heap = memory.allocate(heap_bytes, "device heap")) heap_ = *heap;
}

KernelLibrary::~KernelLibrary() {
  if (heap_ != 0) memory_->release(heap_);
}

// First fit; null when the heap is full.
DeviceAddress KernelLibrary::take(std::uint64_t bytes) {
  if (heap_ == 0 || bytes > heap_bytes_) return 0;
  const std::uint64_t size =
      std::max(heap_alignment, (bytes + heap_alignment - 1) / heap_alignment * heap_alignment);
  DeviceAddress candidate = heap_;
  for (const auto& [begin, length] : used_) {
    if (begin - candidate >= size) break;
    candidate = begin + length;
  }
  if (heap_ + heap_bytes_ - candidate < size) return 0;
  used_.emplace(candidate, size);
  return candidate;
}

void KernelLibrary::give_back(DeviceAddress address, unsigned lane) {
  if (address != 0 && used_.erase(address) == 0)
    throw LaneFault{FaultKind::illegal_address,
                    fmt::format("free of {:#x}, which malloc did not give", address), lane};
}

void KernelLibrary::call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) {
  const std::scoped_lock lock(mutex_);
  if (function == "vprintf") {
    each_lane(mask, [&](unsigned lane) {
      const std::string text = text_at(block, warp, lane, register_pair(warp, 4, lane));
      Arguments arguments(block, warp, lane, register_pair(warp, 6, lane));
      const std::string out = format(block, warp, lane, text, arguments);
      print_(out);
      row(warp, Row::general(4))[lane] = static_cast<std::uint32_t>(out.size());
    });
  } else if (function == "malloc") {
    each_lane(mask, [&](unsigned lane) { set_pair(warp, 4, lane, take(register_pair(warp, 4, lane))); });
  } else if (function == "free") {
    each_lane(mask, [&](unsigned lane) { give_back(register_pair(warp, 4, lane), lane); });
  } else if (function == "__assertfail") {
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    throw LaneFault{FaultKind::assertion,
                    fmt::format("{} at {}:{} in {}", text_at(block, warp, lane, register_pair(warp, 4, lane)),
                                text_at(block, warp, lane, register_pair(warp, 6, lane)),
                                row(warp, Row::general(8))[lane],
                                text_at(block, warp, lane, register_pair(warp, 10, lane))),
                    lane};
  } else {
    throw LaneFault{FaultKind::unsupported_instruction,
                    fmt::format("a call of {}, which is not emulated", function),
                    static_cast<unsigned>(std::countr_zero(mask))};
  }
}

}  // namespace warpgauge::emulator
