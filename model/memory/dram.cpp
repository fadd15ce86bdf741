#include "model/memory/dram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warpgauge::model {
namespace {

// Over how many cycles a channel's load is averaged: long against one transfer, short against a kernel.
constexpr double window = 2000;

}  // namespace

std::uint64_t spread(std::uint64_t block) {
  block ^= block >> 33;
  block *= 0xff51afd7ed558ccdULL;
  block ^= block >> 29;
  block *= 0x9e3779b97f4a7c15ULL;
  return block ^ (block >> 32);
}

Dram::Dram(const DramSpec& spec, const L2Spec& l2)
    : spec_(spec), line_bytes_(l2.line_bytes), partitions_(std::max(1U, l2.partitions)) {
  if (spec.slice_channels > 0) slices_.emplace(l2);
  Channel channel;
  channel.late = LateWrites(spec.late_lines);
  channel.written_pieces.resize(spec.written_pieces);
  channels_.assign(std::max(1U, spec.channels), channel);
  if (spec.row_cycle > 0) banks_.resize(channels_.size() * std::max(1U, spec.banks_per_channel));
}

std::size_t Dram::channel_of(std::uint64_t byte, std::uint64_t row) const {
  if (slices_) {
    const std::uint64_t line = byte / line_bytes_;
    const std::size_t first = std::size_t{slices_->slice_of(line, slices_->partition_of(line))} * spec_.slice_channels;
    return first + (row + spread(row / spec_.slice_channels)) % spec_.slice_channels;
  }
  const std::uint64_t unit = spec_.channel_interleave.unit_of(byte);
  return (unit + spread(unit / channels_.size())) % channels_.size();
}

// Each partition has stacks of its own, whose channels stand behind pairs of neighbouring slices in turn.
std::size_t Dram::stack_of(std::size_t channel) const {
  const std::size_t stacks = spec_.refresh_offsets.size();
  if (!slices_ || stacks % partitions_ != 0) return channel % stacks;
  const std::size_t slice = channel / spec_.slice_channels;
  const std::size_t slices = std::max<std::size_t>(1, channels_.size() / spec_.slice_channels / partitions_);
  const std::size_t own = stacks / partitions_;
  return slice / slices % partitions_ * own + slice % slices / 2 % own;
}

double Dram::transfer(unsigned bytes, double efficiency) const {
  return bytes / (spec_.channel_bytes_per_cycle * std::max(efficiency, 0.01));
}

double Dram::transfer(Channel& channel, unsigned bytes, bool write) const {
  // How much of the peak a channel reaches depends on the mix of the last few dozen accesses.
  constexpr double memory = 1.0 / 32;
  channel.write_share += ((write ? 1.0 : 0.0) - channel.write_share) * memory;
  return transfer(bytes, efficiency(channel.write_share));
}

double Dram::efficiency(double write_share) const {
  // A few accesses of the other kind cost as much as a quarter of them: on the H200 it is half as much where they are 1/128, all
  // of it from 1/32 to 1/4, and less the more there are beyond (probe dram.bandwidth).
  constexpr double few = 1.0 / 64;
  constexpr double many = 1.0 / 4;
  const bool reads = write_share <= 0.5;
  const double share = reads ? write_share : 1 - write_share;
  const double pure = reads ? spec_.read_efficiency : spec_.write_efficiency;
  const double mix = reads ? spec_.read_mix_efficiency : spec_.write_mix_efficiency;
  if (share < few) return pure + (mix - pure) * share / few;
  return mix + (spec_.mixed_efficiency - mix) * std::max(0.0, share - many) / (0.5 - many);
}

double Dram::access(std::uint64_t byte, unsigned bytes, bool write, double at) {
  const std::uint64_t row = row_of(byte);
  const std::size_t which = channel_of(byte, row);
  Channel& channel = channels_[which];
  work_off(channel, at);
  const double begin = std::max(at, channel.server.free());
  double cycles = transfer(channel, bytes, write);
  const bool together = write && written_together(channel, byte);
  // The transfer of half a piece hides its beginning.
  if (!together && 2 * bytes < spec_.row_piece_bytes && !has_piece(byte, row, which, begin))
    cycles = std::max(cycles, write ? spec_.row_write_least : spec_.row_read_least);
  const double start = channel.server.occupy(at, cycles);
  if (start > channel.then) {
    const double kept = window / (window + start - channel.then);
    channel.reads *= kept;
    channel.writes *= kept;
    channel.then = start;
  }
  (write ? channel.writes : channel.reads) += cycles;
  if (together) return start;
  if (write) return after_refresh(byte, which, open_row(byte, row, which, true, start));
  // Who reads a whole line from behind its slice waits for its last access, too.
  const double rest = slices_ && bytes > spec_.access_bytes ? transfer(bytes - spec_.access_bytes, 1) : 0;
  return after_refresh(byte, which, open_row(byte, row, which, false, start + wait_for_writes(channel))) + rest;
}

bool Dram::written_together(Channel& channel, std::uint64_t byte) const {
  if (channel.written_pieces.empty()) return false;
  const std::uint64_t piece = byte / spec_.row_piece_bytes;
  std::uint32_t& last = channel.written_pieces[spread(piece) % channel.written_pieces.size()];
  return std::exchange(last, static_cast<std::uint32_t>(piece) + 1) == static_cast<std::uint32_t>(piece) + 1;
}

void Dram::write_late(std::uint64_t byte, unsigned bytes, double at) {
  Channel& channel = channels_[channel_of(byte, row_of(byte))];
  work_off(channel, at);
  if (channel.late.full()) {
    const LateWrites::Line oldest = channel.late.take_oldest();
    access(oldest.byte, oldest.bytes, true, at);
  }
  channel.late.add({byte, bytes});
}

void Dram::work_off(Channel& channel, double at) const {
  channel.late.work_off(channel.free(), at, [this](unsigned bytes) {
    return std::max(spec_.row_write_least, transfer(bytes, spec_.write_efficiency));
  });
}

std::uint64_t Dram::written_late(double at) {
  std::uint64_t bytes = 0;
  for (Channel& channel : channels_) {
    work_off(channel, at);
    bytes += channel.late.written();
  }
  return bytes;
}

Dram::Bank& Dram::bank_of(std::uint64_t row, std::size_t channel) {
  const std::size_t banks = banks_.size() / channels_.size();
  return banks_[channel * banks + spread(row + 0x51ed270bU) % banks];
}

Dram::Bank::Opening* Dram::find_row(std::uint64_t row, std::size_t channel, double at) {
  for (Bank::Opening& opening : bank_of(row, channel).openings)
    if (opening.row == row && opening.until > at) return &opening;
  return nullptr;
}

bool Dram::has_piece(std::uint64_t byte, std::uint64_t row, std::size_t channel, double at) {
  if (banks_.empty()) return true;
  const Bank::Opening* opening = find_row(row, channel, at);
  return opening != nullptr && (opening->pieces & piece_of(byte)) != 0;
}

double Dram::open_row(std::uint64_t byte, std::uint64_t row, std::size_t channel, bool write, double at) {
  if (banks_.empty()) return at;
  const double interval = write ? std::max(spec_.row_interval, spec_.row_write_least) : spec_.row_interval;
  const std::uint64_t piece = piece_of(byte);
  if (Bank::Opening* opening = find_row(row, channel, at)) {
    double turn = at;
    if ((opening->pieces & piece) == 0) turn = channels_[channel].openings.occupy(at, interval);
    opening->pieces |= piece;
    return std::max(turn, opening->at);
  }
  Bank& bank = bank_of(row, channel);
  const double begin = std::max(channels_[channel].openings.occupy(at, interval), bank.free);
  const double open = begin + spec_.row_miss_extra;
  bank.free = begin + spec_.row_cycle;
  bank.openings[bank.last].until = begin;
  bank.last = (bank.last + 1) % bank.openings.size();
  bank.openings[bank.last] = {row, open, std::numeric_limits<double>::infinity(), piece};
  return open;
}

double Dram::wait_for_writes(const Channel& channel) const {
  const double both = channel.reads + channel.writes;
  if (both <= 0) return 0;
  const double written = std::min(1.0, channel.writes / window);
  const double mixed = std::min(1.0, 4 * channel.reads * channel.writes / (both * window));
  return spec_.mixed_wait * mixed + spec_.write_wait * written * written;
}

double Dram::room(std::uint64_t byte, double at) const {
  if (spec_.queue <= 0) return at;
  // Channels behind one slice share its queue.
  const std::size_t together = std::max(1U, spec_.slice_channels);
  const std::size_t first = channel_of(byte, row_of(byte)) / together * together;
  double before = 0;
  for (std::size_t each = first; each < first + together; ++each) before += std::max(at, channels_[each].free()) - at;
  return at + std::max(0.0, before / static_cast<double>(together) - spec_.queue);
}

// Banks are refreshed one after the other, the same ones of all channels of a stack at once; what the others
// transfer meanwhile goes on.
double Dram::after_refresh(std::uint64_t byte, std::size_t channel, double at) const {
  if (spec_.refresh_interval <= 0) return at;
  const std::uint64_t bank = spread(byte / spec_.refresh_block + 0x2545f491U);
  double offset = (spec_.refresh_begin + static_cast<double>(bank % 4096) / 4096) * spec_.refresh_interval;
  if (!spec_.refresh_offsets.empty()) offset += spec_.refresh_offsets[stack_of(channel)];
  const double phase = std::fmod(at + offset, spec_.refresh_interval);
  return phase < spec_.refresh_time ? at + spec_.refresh_time - phase : at;
}

double Dram::busy() const {
  double most = 0;
  for (const Channel& channel : channels_) most = std::max(most, channel.server.busy());
  return most;
}

}  // namespace warpgauge::model
