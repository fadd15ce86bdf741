#include "model/sm/queued_op.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/sm/constant_cache.h"
#include "model/sm/write_slots.h"

namespace warpgauge::model {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;

// Of the data stage that ATOMS.CAST.SPIN takes, whatever words its lanes name: 2.1 wavefronts an instruction of
// atomic_shared_float on the H200, where lanes meet at words and banks, and of 2.0 of 256 threads on one word.
constexpr std::uint16_t spin_passes = 2;

std::uint16_t narrow(unsigned value) { return static_cast<std::uint16_t>(value); }

unsigned width_step(unsigned bytes) {
  return bytes <= 4 ? 0 : bytes == 8 ? 1 : 2;
}

Access plus(Access base, unsigned step) {
  return static_cast<Access>(static_cast<unsigned>(base) + step);
}

// Latency for `lanes` on one word, between the points of the calibration.
unsigned by_contention(const std::vector<std::uint64_t>& at, const std::vector<std::uint64_t>& latency,
                       unsigned lanes, unsigned otherwise) {
  if (at.empty() || latency.size() != at.size()) return otherwise;
  std::size_t i = 0;
  while (i + 1 < at.size() && at[i + 1] <= lanes) ++i;
  if (i + 1 == at.size() || lanes <= at[i]) return static_cast<unsigned>(latency[i]);
  return static_cast<unsigned>(latency[i] +
                               (latency[i + 1] - latency[i]) * (lanes - at[i]) / (at[i + 1] - at[i]));
}

// The parts of an entry that hang on its space and kind.
class Maker {
 public:
  Maker(QueuedOp& entry, const SmSpec& spec, const StaticOp& op, const traces::Issued& issued)
      : entry_(entry), spec_(spec), memory_(spec.memory), op_(op), issued_(issued) {}

  void constant() {
    if (issued_.executed_mask == 0) {
      // Of no lane: a turn all the same, but the result three cycles sooner (probe issue.guards).
      constexpr unsigned sooner = 3;
      if (op_.kind == Kind::memory) use(Access::load_constant_32);
      entry_.raw -= narrow(std::min<unsigned>(sooner, entry_.raw));
      entry_.line_count = 1;
      entry_.space = MemorySpace::none;
      return;
    }
    if (op_.kind != Kind::memory) {
      // MATCH takes a turn for each value that the lanes hold; REDUX and S2UR one.
      const bool by_value = op_.kind == Kind::match && !op_.matches_all;
      entry_.interval = op_.interval;
      entry_.line_count = by_value ? std::max<std::uint8_t>(issued_.measure, 1) : 1;
      entry_.space = MemorySpace::none;
      return;
    }
    entry_.space = MemorySpace::constant;
    use(entry_.bytes > 4 ? Access::load_constant_64 : Access::load_constant_32);
    const std::uint64_t bank = constant_byte(op_.constant_bank, 0);
    if (issued_.addresses == nullptr || issued_.places.same ||
        is_uniform(issued_.addresses, issued_.executed_mask)) {
      entry_.line_count = 1;
      entry_.lines[0].line =
          bank + (issued_.addresses == nullptr ? 0 : issued_.addresses[std::countr_zero(issued_.executed_mask)]);
      return;
    }
    // Every distinct address is a turn of its own.
    for (std::uint32_t m = issued_.executed_mask; m != 0; m &= m - 1) {
      const std::uint64_t address = bank + issued_.addresses[std::countr_zero(m)];
      const auto end = entry_.lines.begin() + entry_.line_count;
      if (std::any_of(entry_.lines.begin(), end, [&](const LineAccess& a) { return a.line == address; })) continue;
      entry_.lines[entry_.line_count++].line = address;
    }
  }

  // LDSM and STSM: each matrix is eight rows of 16 bytes, addressed by eight lanes.
  void matrix() {
    const unsigned matrices = op_.matrices;
    if (entry_.kind == QueuedKind::matrix_store) {
      use(Access::store_matrix_4);
    } else {
      entry_.interval = static_cast<std::uint8_t>(memory_.address_interval_shared_load);
      use(matrices >= 4   ? Access::load_matrix_4
          : matrices == 2 ? Access::load_matrix_2
                          : Access::load_matrix_1);
    }
    unsigned passes = 0;
    for (unsigned g = 0; g < matrices && issued_.addresses != nullptr; ++g) {
      const std::uint32_t lanes = issued_.executed_mask & (0xffU << (8 * g));
      passes +=
          std::max(1U, bank_passes(issued_.addresses, lanes, 4, memory_.banks / 4, memory_.bank_bytes * 4, false));
    }
    entry_.floor_passes = narrow(matrices);
    entry_.passes = narrow(std::max(passes, matrices));
    entry_.space = MemorySpace::shared;
    entry_.access = entry_.kind == QueuedKind::matrix_store ? MemoryAccess::store : MemoryAccess::load;
  }

  void shared() {
    const unsigned step = width_step(entry_.bytes);
    const bool load = entry_.access == MemoryAccess::load;
    if (load) {
      if (!op_.uniform_address) entry_.interval = static_cast<std::uint8_t>(memory_.address_interval_shared_load);
      use(plus(Access::load_shared_32, step));
    } else if (entry_.access == MemoryAccess::store) {
      use(plus(Access::store_shared_32, step));
    } else {
      use(Access::atomic_shared);
    }
    if (op_.generic && !load) {
      const bool store = entry_.access == MemoryAccess::store;
      entry_.interval = static_cast<std::uint8_t>(store ? memory_.address_interval_store_global
                                                        : memory_.address_interval_atomic_generic);
      entry_.unit_interval = static_cast<std::uint8_t>(memory_.store_global_interval);
    }
    entry_.floor_passes = least_passes();
    unsigned passes = bank_passes(issued_.addresses, issued_.executed_mask, entry_.bytes, memory_.banks,
                                  memory_.bank_bytes, load && memory_.wide_loads_merge, issued_.places);
    if (op_.atomic_spin) {
      // It tries one lane of a bank and tells the others that they failed.
      passes = entry_.floor_passes = spin_passes;
    } else if (entry_.access == MemoryAccess::atomic || entry_.access == MemoryAccess::reduction) {
      passes = shared_atomic(passes);
    }
    if (load && passes < entry_.floor_passes) entry_.raw = sharing(entry_.raw, passes, entry_.floor_passes);
    if (load && step != 0 && passes >= entry_.floor_passes) {
      LoadResults results = LoadResults::unpacked(entry_.results);
      results.even = results.odd = std::exchange(results.pairs, std::uint8_t{0});
      results.in_turn = true;
      entry_.results = results.packed();
    }
    entry_.passes = narrow(passes);
  }

  // Other blocks' shared memory: what goes to each of them.
  void cluster() {
    const bool load = entry_.access == MemoryAccess::load;
    const bool store = entry_.access == MemoryAccess::store;
    use(load ? Access::load_shared_32 : store ? Access::store_shared_32 : Access::atomic_shared);
    find_parts(entry_.remote, issued_.addresses, issued_.executed_mask, entry_.bytes, entry_.access);
  }

  void local(std::uint64_t base) {
    use(entry_.access == MemoryAccess::load ? Access::load_local_32 : Access::store_local_32);
    const unsigned words = std::max(1U, entry_.bytes / 4U);
    // Word n of all lanes of a warp lies together.
    Coalesced c;
    for (std::uint32_t m = issued_.executed_mask; m != 0; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
      for (unsigned word = 0; word < words; ++word) {
        if (!add(c, base + issued_.addresses[lane] / 4 + word, lane * 4, std::uint32_t{1} << lane)) break;
      }
    }
    // Each lane has a bank of its own, whichever line its word is in.
    entry_.floor_passes = narrow(words);
    entry_.tag_passes = narrow(lookup_passes(entry_.lines, c.lines, spec_.l1.tag_banks));
    entry_.data_passes = entry_.floor_passes;
    entry_.turn_passes = entry_.floor_passes;
    entry_.passes = std::max(entry_.floor_passes, entry_.tag_passes);
    count(c);
  }

  void texture_or_surface() {
    if (issued_.texels != nullptr) entry_.texture = issued_.texels->handle;
    if (entry_.access == MemoryAccess::none) {
      // No texel was read, or nobody says which.
      entry_.kind = QueuedKind::simple;
    } else if (entry_.access == MemoryAccess::store) {
      entry_.space = MemorySpace::global;
      global();
    } else if (issued_.texels != nullptr) {
      texture();
    } else {
      global();
    }
  }

  void global() {
    Coalesced c = coalesce(issued_.addresses, issued_.executed_mask, entry_.bytes, spec_.l1.line_bytes,
                           spec_.l1.sector_bytes, entry_.lines, issued_.places);
    global_times(c);
    entry_.tag_passes = narrow(lookup_passes(entry_.lines, c.lines, spec_.l1.tag_banks));
    // What the data stage delivers a cycle bounds a wide access.
    const unsigned lanes = static_cast<unsigned>(std::popcount(issued_.executed_mask));
    const bool copy_past_l1 = entry_.access == MemoryAccess::copy && entry_.past_l1;
    // What does not go through the L1 does not read its banks either.
    const unsigned banks = copy_past_l1 ? 1
                                        : bank_passes(issued_.addresses, issued_.executed_mask, entry_.bytes,
                                                      spec_.l1.banks, spec_.l1.bank_bytes, false, issued_.places);
    unsigned data_passes = std::max({1U, cycles_of(c.uniform ? entry_.bytes : lanes * entry_.bytes), banks});
    // What a copy brings through the L1 is written as a store to shared memory is (by hand, copies_to_places_apart).
    if (entry_.access == MemoryAccess::copy && !entry_.past_l1)
      data_passes = std::max(data_passes, bank_passes(issued_.shared_addresses, issued_.executed_mask, entry_.bytes,
                                                      spec_.l1.banks, spec_.l1.bank_bytes, false, {}));
    const auto by_turns = [&](std::uint32_t mask, bool every_lane) {
      return turn_passes(issued_.addresses, mask, entry_.bytes, spec_.l1.line_bytes, spec_.l1.banks,
                         spec_.l1.bank_bytes, entry_.lines, c.lines, spec_.l1.tag_banks, every_lane);
    };
    // Lanes that change words take their turns, those of one word as well (docs/h200.md, "Reductions beside
    // loads of shared memory"), where each has 8 or 16 bytes 16 or 8 of them at a time (by hand,
    // wavefronts_of_atomics).
    if (entry_.access == MemoryAccess::atomic || entry_.access == MemoryAccess::reduction) {
      const unsigned at_a_time = traces::warp_size >> width_step(entry_.bytes);
      const std::uint32_t first = ~std::uint32_t{0} >> (traces::warp_size - at_a_time);
      data_passes = 0;
      for (unsigned lane = 0; lane < traces::warp_size; lane += at_a_time) {
        const std::uint32_t mask = issued_.executed_mask & first << lane;
        if (mask != 0) data_passes += std::max(1U, by_turns(mask, true));
      }
    }
    if (entry_.access == MemoryAccess::atomic) {
      entry_.line_return_cycles = static_cast<float>(return_cycles(c, banks) / std::max(1U, c.lines));
    }
    // A surface's stores go through the texture units, eight lanes at a time, a sector of them a cycle.
    if (op_.kind == Kind::texture) data_passes = std::max({data_passes, surface_octets(), surface_sectors(c)});
    entry_.data_passes = narrow(data_passes);
    const bool in_parts =
        (entry_.access == MemoryAccess::load || entry_.access == MemoryAccess::store) && entry_.tag_passes > 1;
    entry_.turn_passes =
        narrow(in_parts ? std::max(data_passes, by_turns(issued_.executed_mask, false)) : data_passes);
    entry_.passes = std::max(entry_.tag_passes, entry_.data_passes);
    // The calibrated latency has the passes of a whole warp side by side in it.
    entry_.floor_passes = std::max(least_passes(), narrow(cycles_of(traces::warp_size * entry_.bytes)));
    if (copy_past_l1) {
      entry_.tag_passes = narrow(copy_tag_cycles(c.lines));
      entry_.copy_cycles = narrow(
          copy_cycles(issued_.addresses, issued_.shared_addresses, issued_.executed_mask, spec_.l1.line_bytes));
      const unsigned whole = c.lines;
      const unsigned pieces = split_copy(issued_.addresses, issued_.shared_addresses, issued_.executed_mask, spec_.l1.line_bytes,
                                         spec_.l1.sector_bytes, entry_.lines, c);
      entry_.split_lines = static_cast<std::uint8_t>(c.lines - whole);
      entry_.alone = pieces > spec_.memory.joined_pieces;
    }
    count(c);
  }

 private:
  // The texture units go through their requests one by one: each takes turns at the tags and at the data for the pieces that its
  // texels lie in, at the filter, and on the way back (docs/h200.md, "Textures"). Of more lines than an entry holds, what a
  // warp's footprints in a volume may reach, the rest is not asked for.
  void texture() {
    const traces::TexelAccess& texels = *issued_.texels;
    const TextureSpec& spec = spec_.texture;
    Coalesced c;
    using Way = traces::TexelAccess::Way;
    // Of eight lanes' pieces half that many pass the banks together, of four lanes' all that can.
    const bool octets = texels.way == Way::texel || texels.way == Way::surface;
    const unsigned pieces_per_cycle = octets ? spec.pieces_per_cycle : spec.piece_banks;
    unsigned data = 0;
    unsigned first = 0;
    unsigned sectors = 0;
    for (unsigned r = 0; r < texels.requests; ++r) {
      std::array<std::uint8_t, 32> tags{};
      std::array<std::uint8_t, 32> banks{};
      unsigned turns = (texels.ends[r] - first + pieces_per_cycle - 1) / pieces_per_cycle;
      for (unsigned p = first; p < texels.ends[r]; ++p) {
        const std::uint64_t line = texels.pieces[p] / spec_.l1.line_bytes;
        const auto byte = static_cast<unsigned>(texels.pieces[p] % spec_.l1.line_bytes);
        bool new_line = true;
        bool new_sector = true;
        for (unsigned q = first; q < p; ++q) {
          if (texels.pieces[q] / spec_.l1.line_bytes == line) new_line = false;
          if (texels.pieces[q] / spec_.l1.sector_bytes == texels.pieces[p] / spec_.l1.sector_bytes) new_sector = false;
        }
        if (new_sector) ++sectors;
        turns = std::max<unsigned>(turns, ++banks[texels.pieces[p] / traces::TexelAccess::piece_bytes % spec.piece_banks]);
        if (new_line) turns = std::max<unsigned>(turns, ++tags[line % spec.tag_banks]);
        add(c, line, byte, 0xfU << byte / 4);
      }
      first = texels.ends[r];
      data += std::max(turns, 1U);
    }
    const unsigned requests = texels.requests;
    const unsigned filter = requests * texels.filter_cycles;
    entry_.passes = narrow(std::max({1U, data, filter, requests * texels.return_cycles}));
    const unsigned latency = texels.way == Way::texel     ? spec.texel_latency
                             : texels.way == Way::nearest ? spec.nearest_latency
                             : texels.way == Way::linear  ? spec.linear_latency
                                                          : spec.surface_latency;
    const unsigned more = std::max(requests, 1U) - 1;
    use(Access::texture);
    entry_.raw = narrow(latency + spec.request_interval * more + (data - std::min(data, requests)) +
                        (filter - std::min(filter, requests)));
    entry_.texture_requests = narrow(requests);
    entry_.texture_sectors = narrow(sectors);
    count(c);
  }

  // Of a copy past the L1, whatever lines it asks for: 7 cycles for four of them, 14 for sixteen (docs/h200.md, "Copies").
  static constexpr unsigned copy_tag_cycles(unsigned lines) { return 5 + 9 * lines / 16; }

  // What a wide load takes longer than one of a word goes with its passes; lanes that share words take fewer. A uniform
  // address is measured with lanes that all do.
  [[nodiscard]] std::uint16_t sharing(unsigned wide, unsigned passes, unsigned most) const {
    const unsigned word = spec_.access[static_cast<std::size_t>(Access::load_shared_32)].raw;
    if (op_.uniform_address || wide <= word) return narrow(wide);
    return narrow(word + (wide - word) * (passes - 1) / (most - 1));
  }

  // One more access to a line, at that byte of it; false for one that finds no room in the entry.
  bool add(Coalesced& c, std::uint64_t line, unsigned byte, std::uint32_t words) {
    unsigned at = c.lines;
    while (at > 0 && entry_.lines[at - 1].line != line) --at;
    if (at == 0) {
      if (c.lines == max_lines_per_access) return false;
      at = ++c.lines;
      entry_.lines[at - 1] = {line, 0, 0, 0, 0, 0};
    }
    LineAccess& access = entry_.lines[at - 1];
    const auto bit = static_cast<std::uint8_t>(1U << (byte / spec_.l1.sector_bytes));
    if ((access.sectors & bit) == 0) ++c.sectors;
    access.sectors |= bit;
    access.words |= words;
    ++access.lanes;
    return true;
  }

  // Of the way back, of an atomic's results, which take so many passes over the banks. Where each line returns one word, lane by
  // lane, what comes behind a word of another bank takes half a pass.
  [[nodiscard]] double return_cycles(const Coalesced& c, unsigned banks) const {
    const L1Spec& l1 = spec_.l1;
    const int words = static_cast<int>(std::max(1U, entry_.bytes / 4U));
    double halves = 0;
    unsigned again = 0;
    std::uint32_t before = 0;
    for (unsigned i = 0; i < c.lines; ++i) {
      const LineAccess& line = entry_.lines[i];
      if (std::popcount(line.words) > words) {
        const bool several = static_cast<unsigned>(std::popcount(issued_.executed_mask)) > c.lines;
        return (several ? l1.atomic_return_interval_words : l1.atomic_return_interval) * std::max(banks, line_passes(c.lines));
      }
      halves += (line.words & before) != 0 ? 2 : 1;
      before = line.words;
      again += line.lanes - 1U;
    }
    return halves / 2 * l1.atomic_return_interval + again * l1.atomic_return_interval_turn;
  }

  [[nodiscard]] unsigned surface_octets() const {
    unsigned octets = 0;
    for (unsigned first = 0; first < traces::warp_size; first += 8) octets += (issued_.executed_mask >> first & 0xffU) != 0 ? 1U : 0U;
    return octets;
  }
  // Those of all lanes; lanes of 16 bytes are not joined with those of other eights.
  [[nodiscard]] unsigned surface_sectors(const Coalesced& c) const {
    if (entry_.bytes < 16) return c.sectors;
    unsigned sectors = 0;
    for (unsigned lane = 0; lane < traces::warp_size; ++lane) {
      if ((issued_.executed_mask >> lane & 1U) == 0) continue;
      const std::uint64_t sector = issued_.addresses[lane] / spec_.l1.sector_bytes;
      bool fresh = true;
      for (unsigned before = lane / 8 * 8; before < lane; ++before) {
        if ((issued_.executed_mask >> before & 1U) != 0 && issued_.addresses[before] / spec_.l1.sector_bytes == sector) fresh = false;
      }
      sectors += fresh ? 1U : 0U;
    }
    return sectors;
  }

  void use(Access access) {
    const AccessSpec& a = spec_.access[static_cast<std::size_t>(access)];
    entry_.war = narrow(op_.uniform_address ? a.war_uniform : a.war);
    entry_.raw = narrow(op_.uniform_address ? a.raw_uniform : a.raw);
  }

  void count(const Coalesced& c) {
    entry_.line_count = narrow(c.lines);
    entry_.sector_count = narrow(c.sectors);
  }

  // Of the data array, by the width of an access alone.
  [[nodiscard]] std::uint16_t least_passes() const {
    const unsigned step = width_step(entry_.bytes);
    return narrow(step == 0 ? 1 : step == 1 ? memory_.passes_64 : memory_.passes_128);
  }

  [[nodiscard]] unsigned cycles_of(unsigned bytes) const {
    return (bytes + spec_.l1.bytes_per_cycle - 1) / spec_.l1.bytes_per_cycle;
  }

  // An atomic that would take `passes` as a store: its passes, and how much later its result comes.
  [[nodiscard]] unsigned shared_atomic(unsigned passes) {
    const std::uint64_t* addresses = issued_.addresses;
    const std::uint32_t mask = issued_.executed_mask;
    // Lanes on one word take turns like lanes on words of one bank, unless the instruction counts them together.
    if (!op_.atomic_aggregated) {
      const unsigned accesses = op_.atomic_swap ? 2 : 1;
      passes = accesses * bank_lanes(addresses, mask, entry_.bytes, memory_.banks, memory_.bank_bytes);
      const unsigned same = same_word_lanes(addresses, mask, entry_.bytes);
      entry_.same_word = static_cast<std::uint8_t>(same);
      const unsigned alone = by_contention(memory_.contention, memory_.shared_atomic_latency, 1, 0);
      const unsigned contended = by_contention(memory_.contention, memory_.shared_atomic_latency, same, 0);
      entry_.raw = narrow(entry_.raw + accesses * (contended - std::min(contended, alone)));
      // The latency by contention has the turns of one word in it already.
      entry_.floor_passes = narrow(std::max(1U, accesses * same));
    }
    const double lanes = std::popcount(mask);
    const auto turns = static_cast<unsigned>(lanes / memory_.shared_atomic_rate);
    // The calibrated latency is one of all lanes.
    entry_.floor_passes = std::max(entry_.floor_passes, narrow(turns));
    return std::max(passes, turns);
  }

  // An access to global memory: its intervals and latency; of an atomic, the turns at its sectors, too.
  void global_times(Coalesced& c) {
    const unsigned step = width_step(entry_.bytes);
    switch (entry_.access) {
      case MemoryAccess::copy:
        use(plus(Access::copy_32, step));
        break;
      case MemoryAccess::load: {
        use(plus(Access::load_global_32, step));
        if (!op_.generic) break;
        const unsigned generic = spec_.access[static_cast<std::size_t>(Access::load_generic_32)].raw;
        const unsigned plain = spec_.access[static_cast<std::size_t>(Access::load_global_32)].raw;
        entry_.raw = narrow(entry_.raw + (generic > plain ? generic - plain : 0));
        break;
      }
      case MemoryAccess::store:
        entry_.interval = static_cast<std::uint8_t>(memory_.address_interval_store_global);
        use(plus(Access::store_global_32, step));
        break;
      default: {
        const bool answered = entry_.access == MemoryAccess::atomic;
        use(answered ? Access::atomic_global : Access::reduce_global);
        entry_.same_word =
            static_cast<std::uint8_t>(same_word_lanes(issued_.addresses, issued_.executed_mask, entry_.bytes));
        c.sectors = atomic_turns(issued_.addresses, issued_.executed_mask, entry_.bytes, spec_.l1.line_bytes,
                                 spec_.l1.sector_bytes, entry_.lines, c.lines);
        entry_.padded = padded_lines(entry_.lines, c.lines);
        if (!answered) break;
        const unsigned one = by_contention(memory_.contention, memory_.global_atomic_latency, 1, entry_.raw);
        const unsigned many =
            by_contention(memory_.contention, memory_.global_atomic_latency, entry_.same_word, entry_.raw);
        entry_.raw = narrow(entry_.raw + (many > one ? many - one : 0));
        break;
      }
    }
  }

  QueuedOp& entry_;
  const SmSpec& spec_;
  const MemoryUnitSpec& memory_;
  const StaticOp& op_;
  const traces::Issued& issued_;
};

}  // namespace

void make_queued(QueuedOp& entry, const SmSpec& spec, const StaticOp& op, const traces::Issued& issued,
                 const Issuer& issuer) {
  entry.kind = op.queued;
  entry.warp = static_cast<std::uint8_t>(issuer.warp);
  entry.read_counter = op.read_counter;
  entry.write_counter = op.group_end ? sass::Control::no_barrier : op.write_counter;
  entry.results = op.results;
  entry.group = issuer.group;
  entry.generation = issuer.generation;
  entry.ticket = issued.ticket;
  entry.past_l1 = op.past_l1;
  entry.system = op.system;
  entry.keep = op.keep;
  entry.frame_stays = op.frame_stays;
  entry.prefetch = op.prefetch;
  entry.whole_line = op.whole_line;
  entry.floating = op.atomic_float;
  entry.two_operands = op.atomic_swap;
  entry.empties_l1 = op.empties_l1 && issued.executed_mask != 0;
  entry.flushes_bulk = op.flushes_bulk && issued.executed_mask != 0;
  entry.object = issued.object;
  entry.object_address = issued.object_address;
  entry.bulk = QueuedOp::no_bulk;
  entry.space = issued.space;
  entry.access = issued.access;
  entry.bytes = std::max<std::uint8_t>(issued.bytes_per_lane, 1);
  entry.passes = 1;
  entry.data_passes = 1;
  entry.turn_passes = 1;
  entry.copy_cycles = 0;
  entry.texture = 0;
  entry.texture_requests = 0;
  entry.texture_sectors = 0;
  entry.floor_passes = 1;
  entry.tag_passes = 1;
  entry.line_count = 0;
  entry.sector_count = 0;
  entry.same_word = 0;
  entry.split_lines = 0;
  entry.alone = false;
  entry.war = op.release;
  entry.raw = op.latency;
  entry.later = op.later;
  entry.interval = static_cast<std::uint8_t>(op.uniform_address ? spec.memory.address_interval_uniform
                                                                : spec.memory.address_interval);
  entry.unit_interval = static_cast<std::uint8_t>(op.queued == QueuedKind::constant ? spec.constant.unit_interval
                                                  : op.unit_interval != 0 ? op.unit_interval
                                                                          : spec.memory.shared_unit_interval);

  Maker make(entry, spec, op, issued);
  switch (entry.kind) {
    case QueuedKind::none:
      break;
    case QueuedKind::shuffle:
    case QueuedKind::simple:
      entry.interval = op.interval;
      break;
    case QueuedKind::constant:
      make.constant();
      break;
    case QueuedKind::matrix_load:
    case QueuedKind::matrix_store:
      make.matrix();
      break;
    case QueuedKind::data:
      if (entry.space == MemorySpace::shared) {
        make.shared();
      } else if (entry.space == MemorySpace::cluster) {
        make.cluster();
      } else if (entry.space == MemorySpace::local) {
        make.local(issuer.local_base);
      } else if (op.kind == Kind::texture) {
        make.texture_or_surface();
      } else {
        make.global();
      }
      break;
  }
  if (entry.prefetch) {
    // No data: a wavefront stands for four lines (by hand, prefetches).
    constexpr unsigned lines_together = 4;
    entry.data_passes = entry.turn_passes = static_cast<std::uint16_t>((entry.line_count + lines_together - 1) / lines_together);
  }
}

}  // namespace warpgauge::model
