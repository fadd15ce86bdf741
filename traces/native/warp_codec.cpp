#include "traces/native/warp_codec.h"

#include <bit>
#include <limits>

namespace warpgauge::native {
namespace {

// Guards: which of the active lanes execute the instruction.
enum : std::uint8_t { guard_all, guard_none, guard_last, guard_other, guard_mask };

// Control: bits 0 and 1 where the warp goes on, bits 2 and 3 with which lanes.
enum : std::uint8_t { next_following, next_target, next_difference };
enum : std::uint8_t { lanes_same, lanes_executed, lanes_others, lanes_mask };
constexpr unsigned lanes_at = 2;
constexpr std::uint8_t control_blocked = 16;
constexpr std::uint8_t control_barrier = 32;
constexpr std::uint8_t control_exited = 64;

}  // namespace

std::uint32_t initial_lanes(std::uint32_t threads, unsigned warp) {
  const std::uint32_t before = warp * traces::warp_size;
  if (threads <= before) return 0;
  const std::uint32_t left = threads - before;
  return left >= traces::warp_size ? 0xffffffffU : (1U << left) - 1U;
}

void WarpEncoder::begin(const CodeMap& map, WarpStart start, unsigned warp) {
  map_ = &map;
  warp_ = warp;
  bytes_.clear();
  lists_.clear();
  accesses_.assign(map.slot_count, AccessState{});
  recent_ = {};
  guard_mask_ = 0;
  next_ = start.index;
  active_ = start.lanes;
  pending_ = {};
  exited_ = false;
  instructions_ = 0;
  thread_instructions_ = 0;
}

void WarpEncoder::guard(std::uint32_t active, std::uint32_t executed) {
  if (executed == active) {
    bytes_.tokens.push_back(guard_all);
  } else if (executed == 0) {
    bytes_.tokens.push_back(guard_none);
  } else if (executed == (guard_mask_ & active)) {
    bytes_.tokens.push_back(guard_last);
  } else if (executed == (active & ~guard_mask_)) {
    bytes_.tokens.push_back(guard_other);
  } else {
    bytes_.tokens.push_back(guard_mask);
    put(bytes_.tokens, executed);
    guard_mask_ = executed;
  }
}

// Writes what the last control instruction did, now that it is known where the warp went on.
void WarpEncoder::settle(std::uint32_t next, std::uint32_t lanes) {
  const Pending& p = pending_;
  std::uint8_t token = 0;
  unsigned way = next_following;
  unsigned mask = lanes_same;
  if (p.exited) {
    token |= control_exited;
  } else {
    if (next != p.index + 1) way = next == map_->targets[p.index] ? next_target : next_difference;
    if (lanes != p.active)
      mask = lanes == p.executed                 ? lanes_executed
             : lanes == (p.active & ~p.executed) ? lanes_others
                                                 : lanes_mask;
    token = static_cast<std::uint8_t>(way | mask << lanes_at);
    if (p.blocked) token |= control_blocked;
  }
  if (p.barrier) token |= control_barrier;
  bytes_.tokens.push_back(token);
  if (way == next_difference) put_signed(bytes_.tokens, std::uint64_t{next} - p.index);
  if (mask == lanes_mask) put(bytes_.tokens, lanes);
  if (p.barrier) {
    bytes_.tokens.push_back(p.barrier_id);
    bytes_.tokens.push_back(static_cast<std::uint8_t>(p.barrier_warps | (p.barrier_waits ? 0x80U : 0U)));
    put(bytes_.tokens, p.arrived);
  }
  pending_.waiting = false;
}

void WarpEncoder::access(std::uint32_t index, std::uint8_t classes, std::uint32_t guarded,
                         const traces::Issued& issued) {
  if (issued.access == traces::MemoryAccess::none) {
    encode_no_access(bytes_);
    return;
  }
  const std::uint8_t kind = access_kind(issued.space, issued.access);
  if (issued.executed_mask == 0) {
    encode_empty_access(bytes_, kind, issued.bytes_per_lane);
    return;
  }
  AccessState* const state = &accesses_[map_->slots[index]];
  encode_access(bytes_, state[0], lists_, recent_[static_cast<std::size_t>(issued.space)], kind,
                issued.bytes_per_lane, guarded, issued.executed_mask, issued.addresses);
  if (issued.space == traces::MemorySpace::texture) texels(issued.texels != nullptr ? *issued.texels : traces::TexelAccess{});
  if ((classes & class_copy) == 0 || issued.access != traces::MemoryAccess::copy) return;
  encode_access(bytes_, state[1], lists_, recent_[static_cast<std::size_t>(traces::MemorySpace::shared)],
                access_kind(traces::MemorySpace::shared, issued.access), issued.bytes_per_lane,
                issued.executed_mask, issued.executed_mask, issued.shared_addresses);
}

void WarpEncoder::texels(const traces::TexelAccess& texels) {
  Bytes& tokens = bytes_.tokens;
  tokens.push_back(static_cast<std::uint8_t>(texels.way));
  put_varint(tokens, texels.handle);
  tokens.push_back(texels.requests);
  if (texels.requests == 0) return;
  tokens.push_back(texels.filter_cycles);
  tokens.push_back(texels.return_cycles);
  std::uint64_t before = 0;
  unsigned first = 0;
  for (unsigned request = 0; request < texels.requests; ++request) {
    put_varint(tokens, texels.ends[request] - first);
    for (; first < texels.ends[request]; ++first) {
      put_signed(tokens, (texels.pieces[first] - before) / traces::TexelAccess::piece_bytes);
      before = texels.pieces[first];
    }
  }
}

void WarpEncoder::call(const traces::DriverCall& call) {
  Bytes& tokens = bytes_.tokens;
  tokens.push_back(static_cast<std::uint8_t>(call.function));
  if (call.function == traces::DriverCall::Function::none) return;
  tokens.push_back(call.lanes);
  tokens.push_back(call.passed);
  if (call.function != traces::DriverCall::Function::print) return;
  tokens.push_back(call.arguments);
  put_varint(tokens, call.characters);
  put_varint(tokens, call.string_characters);
}

void WarpEncoder::add(std::uint32_t index, const traces::Issued& issued) {
  if (index >= map_->size()) throw Error("an instruction outside the code");
  if (exited_) throw Error("an instruction of a warp that has exited");
  if (pending_.waiting) {
    settle(index, issued.active_mask);
  } else if (index != next_ || issued.active_mask != active_) {
    throw Error("instruction " + std::to_string(next_) +
                " changed the flow of control, which its kind does not do");
  }
  const std::uint8_t classes = map_->classes[index];
  ++instructions_;
  thread_instructions_ += static_cast<unsigned>(std::popcount(issued.executed_mask));
  active_ = issued.active_mask;
  next_ = index + 1;
  if (classes == 0) {
    if (issued.access != traces::MemoryAccess::none || issued.exited || issued.blocked)
      throw Error("instruction " + std::to_string(index) + " did what its kind does not do");
    return;
  }
  const bool has_access = issued.access != traces::MemoryAccess::none;
  if (has_access && (classes & class_access) == 0)
    throw Error("instruction " + std::to_string(index) + " accessed memory, which its kind does not do");
  // Of an access, the lanes that took part are known, not those whose guard held.
  const std::uint32_t guarded = (classes & class_guarded) == 0            ? issued.active_mask
                                : has_access && issued.executed_mask == 0 ? issued.active_mask
                                                                          : issued.executed_mask;
  if ((classes & class_guarded) != 0) guard(issued.active_mask, guarded);
  if ((classes & class_measured) != 0 && guarded != 0) bytes_.tokens.push_back(issued.measure);
  if ((classes & class_called) != 0 && guarded != 0) call(issued.call);
  if ((classes & class_access) != 0 && guarded != 0) access(index, classes, guarded, issued);
  if ((classes & class_control) == 0) {
    if (issued.exited || issued.blocked)
      throw Error("instruction " + std::to_string(index) + " did what its kind does not do");
    return;
  }
  pending_.waiting = true;
  pending_.exited = issued.exited;
  // Had it not been the last to arrive, it would have waited.
  pending_.blocked =
      issued.blocked || (issued.arrived_barriers != 0 && (issued.released_warps >> warp_ & 1U) != 0);
  pending_.barrier = issued.barrier != traces::Issued::no_barrier || issued.arrived_barriers != 0;
  pending_.barrier_waits = issued.barrier_waits;
  pending_.barrier_id = issued.barrier;
  pending_.barrier_warps = issued.barrier_warps;
  pending_.arrived = issued.arrived_barriers;
  pending_.index = index;
  pending_.active = issued.active_mask;
  pending_.executed = issued.executed_mask;
  if (issued.exited) {
    settle(0, 0);
    exited_ = true;
  }
}

void WarpDecoder::begin(const CodeMap& map, WarpStart start, WarpSource& source, unsigned warp) {
  map_ = &map;
  classes_ = map.classes.data();
  source_ = &source;
  warp_ = warp;
  in_ = {};
  lists_.clear();
  at_ = {traces::WarpStatus::ready, start.index, start.lanes};
  guard_mask_ = 0;
  accesses_.assign(map.slot_count, AccessState{});
  recent_ = {};
}

void WarpDecoder::refill() {
  in_ = source_->more(warp_);
  if (in_.tokens.empty()) in_.tokens.fail("warp " + std::to_string(warp_) + " ends without having exited");
}

void WarpDecoder::release() {
  at_ = {traces::WarpStatus::ready, after_index_, after_active_};
}

void WarpDecoder::access(traces::Issued& issued, std::uint8_t classes, std::uint64_t* addresses,
                         std::uint64_t* shared_addresses) {
  AccessState* const state = &accesses_[map_->slots[at_.index]];
  const DecodedAccess decoded =
      decode_access(in_, state[0], lists_, recent_, issued.executed_mask, addresses);
  if (decoded.kind == 0) return;
  issued.executed_mask = decoded.mask;
  issued.space = space_of(decoded.kind);
  issued.access = access_of(decoded.kind);
  issued.bytes_per_lane = decoded.bytes;
  issued.addresses = decoded.addresses;
  if (issued.space == traces::MemorySpace::texture && decoded.mask != 0) texels(issued);
  if (issued.access != traces::MemoryAccess::copy) return;
  issued.shared_addresses = shared_addresses;
  if ((classes & class_copy) == 0 || decoded.mask == 0) return;
  const DecodedAccess stored = decode_access(in_, state[1], lists_, recent_, decoded.mask, shared_addresses);
  if (stored.mask != decoded.mask) in_.tokens.fail("a copy to other lanes than it loads");
  issued.shared_addresses = stored.addresses;
}

void WarpDecoder::texels(traces::Issued& issued) {
  using traces::TexelAccess;
  if (!texels_) texels_ = std::make_unique<TexelAccess>();
  TexelAccess& texels = *texels_;
  const std::uint8_t way = in_.tokens.byte();
  texels.handle = in_.tokens.word("a texture's handle");
  texels.requests = in_.tokens.byte();
  if (way > static_cast<std::uint8_t>(TexelAccess::Way::surface) || texels.requests > TexelAccess::most_requests)
    in_.tokens.fail("an unknown way to fetch texels");
  texels.way = static_cast<TexelAccess::Way>(way);
  // A surface's store has a handle alone; without one either nothing is known.
  if (texels.requests != 0 || texels.handle != 0) issued.texels = &texels;
  if (texels.requests == 0) return;
  texels.filter_cycles = in_.tokens.byte();
  texels.return_cycles = in_.tokens.byte();
  std::uint64_t piece = 0;
  unsigned end = 0;
  for (unsigned request = 0; request < texels.requests; ++request) {
    const auto count = static_cast<unsigned>(in_.tokens.bounded(TexelAccess::most_pieces - end, "texels of a fetch"));
    for (unsigned i = 0; i < count; ++i) {
      piece += in_.tokens.difference() * TexelAccess::piece_bytes;
      texels.pieces[end++] = piece;
    }
    texels.ends[request] = static_cast<std::uint16_t>(end);
  }
}

void WarpDecoder::control(traces::Issued& issued) {
  if (in_.tokens.empty()) refill();
  const std::uint8_t token = in_.tokens.byte();
  if ((token & 0x80U) != 0) in_.tokens.fail("an unknown control token");
  std::uint64_t next = std::uint64_t{at_.index} + 1;
  std::uint32_t lanes = issued.active_mask;
  if ((token & control_exited) != 0) {
    if ((token & ~(control_exited | control_barrier)) != 0) in_.tokens.fail("an exit that goes on");
    at_.status = traces::WarpStatus::exited;
    at_.active_mask = 0;
    issued.exited = true;
  } else {
    switch (token & 3U) {
      case next_following:
        break;
      case next_target:
        next = map_->targets[at_.index];
        break;
      case next_difference:
        next = at_.index + in_.tokens.difference();
        break;
      default:
        in_.tokens.fail("an unknown way to go on");
    }
    switch (token >> lanes_at & 3U) {
      case lanes_same:
        break;
      case lanes_executed:
        lanes = issued.executed_mask;
        break;
      case lanes_others:
        lanes = issued.active_mask & ~issued.executed_mask;
        break;
      default:
        lanes = in_.tokens.get<std::uint32_t>();
    }
    if (next >= map_->size()) in_.tokens.fail("a jump outside the code");
    if (lanes == 0) in_.tokens.fail("a warp that goes on without lanes");
  }
  if ((token & control_barrier) != 0) {
    issued.barrier = in_.tokens.byte();
    const std::uint8_t warps = in_.tokens.byte();
    issued.barrier_warps = warps & 0x7fU;
    issued.barrier_waits = (warps & 0x80U) != 0;
    issued.arrived_barriers = in_.tokens.get<std::uint16_t>();
    if (issued.barrier != traces::Issued::no_barrier && issued.barrier >= 16)
      in_.tokens.fail("a barrier of no known number");
  }
  issued.next = at_.index + 1;
  if (issued.exited) return;
  if ((token & control_blocked) != 0) {
    if ((token & control_barrier) == 0) in_.tokens.fail("a warp that waits for nothing");
    issued.blocked = true;
    issued.goes_ahead = lanes == issued.executed_mask && next == std::uint64_t{at_.index} + 1;
    after_index_ = static_cast<std::uint32_t>(next);
    after_active_ = lanes;
    at_ = {traces::WarpStatus::at_barrier, issued.next, 0};
    return;
  }
  issued.next = static_cast<std::uint32_t>(next);
  issued.branched = issued.next != at_.index + 1;
  issued.diverged = lanes != issued.active_mask;
  at_.index = issued.next;
  at_.active_mask = lanes;
}

void WarpDecoder::call(traces::DriverCall& call) {
  using Function = traces::DriverCall::Function;
  constexpr std::uint64_t most = std::numeric_limits<std::uint16_t>::max();
  const std::uint8_t function = in_.tokens.byte();
  if (function > static_cast<std::uint8_t>(Function::release)) in_.tokens.fail("an unknown function of the driver");
  call.function = static_cast<Function>(function);
  if (call.function == Function::none) return;
  call.lanes = in_.tokens.byte();
  call.passed = in_.tokens.byte();
  if (call.lanes == 0 || unsigned{call.lanes} + call.passed > traces::warp_size) in_.tokens.fail("a call of more lanes than a warp has");
  if (call.function != Function::print) return;
  call.arguments = in_.tokens.byte();
  call.characters = static_cast<std::uint16_t>(in_.tokens.bounded(most, "a format's length"));
  call.string_characters = static_cast<std::uint16_t>(in_.tokens.bounded(most, "a string's length"));
}

bool WarpDecoder::decode(traces::Issued& issued, std::uint64_t* addresses, std::uint64_t* shared_addresses) {
  const std::uint8_t classes = classes_[at_.index];
  if (classes == class_end) in_.tokens.fail("the stream runs past the end of the code");
  if ((classes & (class_guarded | class_access | class_measured | class_called)) != 0 && in_.tokens.empty()) refill();
  if ((classes & class_guarded) != 0) {
    switch (in_.tokens.byte()) {
      case guard_all:
        break;
      case guard_none:
        issued.executed_mask = 0;
        break;
      case guard_last:
        issued.executed_mask = issued.active_mask & guard_mask_;
        break;
      case guard_other:
        issued.executed_mask = issued.active_mask & ~guard_mask_;
        break;
      case guard_mask:
        guard_mask_ = in_.tokens.get<std::uint32_t>();
        if ((guard_mask_ & ~issued.active_mask) != 0) in_.tokens.fail("a guard of lanes that are not active");
        issued.executed_mask = guard_mask_;
        break;
      default:
        in_.tokens.fail("an unknown guard");
    }
  }
  if ((classes & class_measured) != 0 && issued.executed_mask != 0) {
    issued.measure = in_.tokens.byte();
    if (issued.measure > traces::warp_size) in_.tokens.fail("more values than lanes, or bits than a word has");
  }
  if ((classes & class_called) != 0 && issued.executed_mask != 0) call(issued.call);
  if ((classes & class_access) != 0 && issued.executed_mask != 0)
    access(issued, classes, addresses, shared_addresses);
  if ((classes & class_control) != 0) {
    control(issued);
    return true;
  }
  issued.next = ++at_.index;
  return false;
}

}  // namespace warpgauge::native
