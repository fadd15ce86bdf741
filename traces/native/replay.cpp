#include "traces/native/replay.h"

#include <bit>

namespace warpgauge::native {
namespace {

constexpr unsigned named_barriers = 16;
// Handles are indices in a table that never moves.
constexpr std::size_t most_resident_blocks = std::size_t{1} << 16;

}  // namespace

void BlockStreams::begin(const KernelTrace& trace, std::uint64_t block) {
  trace_ = &trace;
  const KernelInfo& info = trace.info();
  const unsigned count = info.shape.warps_per_block();
  const KernelTrace::Place& place = trace.place(block);
  page_ = trace.page(place.page);
  const ByteView bytes = page_->bytes;
  if (place.offset > bytes.size() || place.packed > bytes.size())
    throw Error("a block lies outside its page", page_->file_offset);
  Cursor tokens(bytes.subspan(place.offset), page_->file_offset);
  Cursor packed(bytes.subspan(place.packed), page_->file_offset);
  pieces_.assign(count, Pieces{});
  warps_.resize(count);
  std::array<std::size_t, traces::max_warps_per_block> lengths{};
  for (unsigned w = 0; w < count; ++w) {
    lengths[w] = static_cast<std::size_t>(tokens.bounded(tokens.left(), "a stream's length"));
    pieces_[w].last_packed =
        packed.view(static_cast<std::size_t>(tokens.bounded(packed.left(), "a stream's length")));
  }
  for (unsigned w = 0; w < count; ++w) pieces_[w].last_tokens = tokens.view(lengths[w]);
  for (const auto& [warp, page] : place.earlier) pieces_[warp].earlier.push_back(page);
  const std::uint32_t threads = info.shape.threads_per_block();
  for (unsigned w = 0; w < count; ++w)
    warps_[w].begin(trace.map(), {info.entry, initial_lanes(threads, w)}, *this, w);
}

void BlockStreams::end() {
  page_.reset();
  for (Pieces& pieces : pieces_) pieces.page.reset();
}

WarpCursor BlockStreams::more(unsigned warp) {
  Pieces& pieces = pieces_[warp];
  if (pieces.next < pieces.earlier.size()) {
    pieces.page = trace_->page(pieces.earlier[pieces.next++]);
    Cursor in(pieces.page->bytes, pieces.page->file_offset);
    const ByteView tokens =
        in.view(static_cast<std::size_t>(in.bounded(in.left(), "the length of a piece's tokens")));
    return {{tokens, pieces.page->file_offset}, in};
  }
  pieces.page.reset();
  if (pieces.done) return {{{}, page_->file_offset}, {}};
  pieces.done = true;
  return {{pieces.last_tokens, page_->file_offset}, {pieces.last_packed, page_->file_offset}};
}

struct ReplayStream::Block {
  struct Barrier {
    std::uint32_t expected_warps = 0;  // 0: all of the block
    std::uint32_t arrivals = 0;
    std::uint32_t arrived = 0;  // which warps
    std::uint32_t waiting = 0;
  };
  BlockStreams streams;
  std::array<Barrier, named_barriers> barriers{};
  std::uint32_t exited = 0;
  std::uint32_t all = 0;
  std::uint32_t ahead = 0;  // warps that wait at a barrier and have gone on behind it all the same

  void test(unsigned id, std::uint32_t& released);
  void apply(unsigned warp, traces::Issued& issued);
};

void ReplayStream::Block::test(unsigned id, std::uint32_t& released) {
  Barrier& barrier = barriers[id];
  if (barrier.arrivals == 0) return;
  const bool complete = barrier.expected_warps == 0 ? ((barrier.arrived | exited) & all) == all
                                                    : barrier.arrivals >= barrier.expected_warps;
  if (!complete) return;
  released |= barrier.waiting;
  ahead &= ~barrier.waiting;
  for (std::uint32_t rest = barrier.waiting; rest != 0; rest &= rest - 1) {
    WarpDecoder& warp = streams.warp(static_cast<unsigned>(std::countr_zero(rest)));
    if (warp.blocked()) warp.release();
  }
  barrier = Barrier{};
}

// The block's barriers as the emulator keeps them. The arrival that completes a barrier does not wait.
void ReplayStream::Block::apply(unsigned warp, traces::Issued& issued) {
  if (issued.barrier != traces::Issued::no_barrier) {
    Barrier& barrier = barriers[issued.barrier];
    if (issued.barrier_warps != 0) barrier.expected_warps = issued.barrier_warps;
    if (issued.barrier_waits) barrier.waiting |= 1U << warp;
  }
  for (std::uint32_t rest = issued.arrived_barriers; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    ++barriers[id].arrivals;
    barriers[id].arrived |= 1U << warp;
    test(id, issued.released_warps);
  }
  if (issued.exited) {
    exited |= 1U << warp;
    for (unsigned id = 0; id < named_barriers; ++id) test(id, issued.released_warps);
  }
  const WarpDecoder& self = streams.warp(warp);
  if (!issued.blocked || self.blocked()) return;
  issued.blocked = false;
  issued.branched = self.index() != issued.next;
  issued.next = self.index();
  issued.diverged = self.active() != issued.active_mask;
}

ReplayStream::ReplayStream(const KernelTrace& trace) : trace_(trace) {
  resident_.resize(most_resident_blocks);
}
ReplayStream::ReplayStream(const KernelTrace& trace, std::vector<sass::Instruction> code)
    : ReplayStream(trace) {
  if (code.size() != trace.code().size()) throw Error("other code of another length");
  other_code_ = std::move(code);
}
ReplayStream::~ReplayStream() = default;

std::span<const sass::Instruction> ReplayStream::code() const {
  return other_code_.empty() ? trace_.code() : std::span<const sass::Instruction>(other_code_);
}

traces::BlockHandle ReplayStream::begin_block(std::uint64_t linear_block, const traces::Placement&) {
  std::unique_ptr<Block> block;
  traces::BlockHandle handle = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
    if (!free_.empty()) {
      handle = free_.back();
      free_.pop_back();
    } else {
      handle = next_handle_++;
      if (handle >= resident_.size()) throw Error("too many blocks at the same time");
    }
  }
  if (block == nullptr) block = std::make_unique<Block>();
  block->streams.begin(trace_, linear_block);
  block->barriers = {};
  block->exited = 0;
  block->ahead = 0;
  const unsigned warps = block->streams.warps();
  block->all = warps == 32 ? 0xffffffffU : (1U << warps) - 1U;
  resident_[handle] = std::move(block);
  return handle;
}

void ReplayStream::end_block(traces::BlockHandle handle) {
  std::unique_ptr<Block> block = std::move(resident_[handle]);
  block->streams.end();
  const std::scoped_lock lock(mutex_);
  spare_.push_back(std::move(block));
  free_.push_back(handle);
}

traces::NextInstruction ReplayStream::next(traces::BlockHandle handle, unsigned warp) const {
  const Block& block = *resident_[handle];
  traces::NextInstruction next = block.streams.warp(warp).at();
  if ((block.ahead >> warp & 1U) != 0) next.status = traces::WarpStatus::at_barrier;
  return next;
}

void ReplayStream::issue(traces::BlockHandle handle, unsigned warp, std::uint64_t, traces::Issued& issued) {
  Block& block = *resident_[handle];
  if (WarpDecoder& decoder = block.streams.warp(warp); decoder.blocked()) {
    decoder.release();
    block.ahead |= 1U << warp;
  }
  if (!block.streams.step(warp, issued)) return;
  if (issued.exited || issued.barrier != traces::Issued::no_barrier || issued.arrived_barriers != 0)
    block.apply(warp, issued);
}

}  // namespace warpgauge::native
