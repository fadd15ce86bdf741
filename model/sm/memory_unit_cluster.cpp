// What goes to other blocks of a cluster, and bulk copies of the tensor memory accelerator.
//
// An access of others' shared memory takes the way out of the SM that asks, the way into the one that is asked, and that one's way
// out for what it answers, which what it asks itself takes turns with: loads of a ring of SMs take both ends' time, and what several
// SMs ask of one its time for each (docs/h200.md, other blocks' memory). What is read there takes some of its data array's time, what
// is written none. Of copies only the asking SM's side counts, its accelerator's, line after line.
#include <algorithm>
#include <bit>

#include "model/sm/memory_unit.h"

namespace warpgauge::model {

using traces::BulkCopy;
using traces::MemoryAccess;

namespace {

constexpr std::uint64_t map_bytes = 128;  // of a tensor map
constexpr std::uint32_t map_flag = 0x80000000U;  // beside textures' headers
constexpr unsigned lines_at_once = 4;  // that a copy asks for before others have their turn

std::uint32_t offset_of(std::uint32_t address) { return address & ((1U << traces::shared_rank_bit) - 1); }

}  // namespace

void MemoryUnit::serve_cluster(const QueuedOp& op, Cycle start) {
  const ClusterSpec& spec = spec_.cluster;
  const Owner& owner = owners_[op.warp];
  const ClusterState* const cluster = owner.cluster;
  const bool load = op.access == MemoryAccess::load;
  const bool store = op.access == MemoryAccess::store;
  auto left = static_cast<double>(start), answered = left;
  for (unsigned i = 0; i < op.remote.count; ++i) {
    const RemotePart& part = op.remote.parts[i];
    if (cluster == nullptr || part.rank >= cluster->size) continue;
    ClusterMember& asked = *cluster->members[part.rank].sm;
    if (&asked.ports() == &ports_) continue;  // lanes that name their own block beside others
    const ClusterPorts::Times times = ports_.access(asked.ports(), costs(spec, part, op.access), start, spec.window);
    left = std::max(left, times.left);
    answered = std::max(answered, times.answered);
    if (!store) asked.read_by_others(static_cast<Cycle>(times.answered), part.sectors * spec.sector_passes);
  }
  const auto out = static_cast<Cycle>(left);
  accesses_.free = std::max<Cycle>(accesses_.free, out - std::min<Cycle>(out, spec.ahead));
  const bool far = cluster != nullptr && cluster->wide;
  const Cycle back = static_cast<Cycle>(answered) + spec.load_latency + (far ? spec.far_extra : 0);
  data_.direct(op.warp, start, 1, store);
  release(start + op.war, op, op.read_counter, false);
  if (load) {
    release(back, op, op.write_counter, true);
  } else if (op.access == MemoryAccess::atomic) {
    release(back + spec.atomic_extra, op, op.write_counter, true);
  } else {
    release(std::max<Cycle>(out, start + op.war), op, op.write_counter, true);
    calendar_.add(back, {EventKind::ack, op.warp, sass::Control::no_barrier, SmEvent::no_group, op.generation});
  }
}

void MemoryUnit::serve_object(const QueuedOp& op, Cycle start) {
  const Owner& owner = owners_[op.warp];
  release(start + op.war, op, op.read_counter, false);
  const std::uint32_t offset = offset_of(op.object_address);
  using Object = traces::Issued::Object;
  const bool arrives = op.object == Object::arrives || op.object == Object::arrives_elsewhere || op.object == Object::arrives_everywhere;
  if (arrives) {
    release(start + op.raw, op, op.write_counter, true);
    arrive(op, offset, start);
    return;
  }
  const BarrierObjects::Place place{owner.block, offset};
  const unsigned after = std::max<unsigned>(op.raw, spec_.cluster.object_latency);
  if (op.object == Object::phase_asked) {
    release(start + after, op, op.write_counter, true);
    return;
  }
  // What ended the phase may have come between its issue and now.
  if (op.object == Object::phase_ended || phases_->phase_has_ended(op.warp)) {
    release(std::max(start, objects_.ready(place)) + after, op, op.write_counter, true);
    return;
  }
  const Cycle until = start + after + spec_.cluster.object_patience;
  objects_.wait({place, op.warp, op.write_counter, until});
  calendar_.add(until, {EventKind::patience, op.warp, op.write_counter, SmEvent::no_group, 0});
}

void MemoryUnit::arrive(const QueuedOp& op, std::uint32_t offset, Cycle start) {
  const Owner& owner = owners_[op.warp];
  using Object = traces::Issued::Object;
  if (op.object != Object::arrives_elsewhere) tell_waiters(owner.block, start + spec_.cluster.object_wake);
  if (op.object == Object::arrives) return;
  const ClusterState* const cluster = owner.cluster;
  const std::uint32_t rank = op.object_address >> traces::shared_rank_bit;
  if (cluster == nullptr || rank >= cluster->size) return;
  const Cycle at = start + spec_.cluster.arrival;
  const ClusterState::Member& named = cluster->members[rank];
  named.sm->not_before({named.block, offset}, at);
  // Its lanes may have arrived at objects of several blocks.
  for (unsigned i = 0; i < cluster->size; ++i)
    cluster->members[i].sm->arrived(cluster->members[i].block, at + spec_.cluster.object_wake);
}

void MemoryUnit::landed(const BarrierObjects::Place& object, std::uint32_t copy, Cycle at) {
  objects_.not_before(object, at);
  phases_->copy_landed(object.block, copy);
  tell_waiters(object.block, at);
}

void MemoryUnit::tell_waiters(std::uint8_t block, Cycle at) {
  objects_.wake(
      block, [this](std::uint8_t warp) { return phases_->phase_has_ended(warp); },
      [&](const BarrierObjects::Waiter& waiter, unsigned which) {
        const Cycle from = std::max(at, objects_.ready(waiter.place));
        calendar_.add(from + Cycle{which} * spec_.cluster.object_wake_interval,
                      {EventKind::done, waiter.warp, waiter.counter, SmEvent::no_group, 0});
      });
}

void MemoryUnit::lose_patience(std::uint8_t warp, std::uint8_t counter, Cycle now) {
  if (objects_.give_up(warp, now)) calendar_.add(now + 1, {EventKind::done, warp, counter, SmEvent::no_group, 0});
}

template <class Each>
void MemoryUnit::each_target(const Bulk& bulk, Each each) {
  const std::uint32_t offset = offset_of(bulk.copy.barrier);
  const ClusterState* const cluster = bulk.cluster;
  if (cluster == nullptr || bulk.copy.blocks == 0) {
    each(offset, nullptr);
    return;
  }
  for (unsigned rank = 0; rank < cluster->size; ++rank)
    if ((bulk.copy.blocks >> rank & 1U) != 0) each(offset, &cluster->members[rank]);
}

void MemoryUnit::begin_bulk(const QueuedOp& op, Cycle start) {
  const BulkSpec& spec = spec_.bulk;
  const Owner& owner = owners_[op.warp];
  Bulk& bulk = bulks_[op.bulk];
  bulk.warp = op.warp;
  bulk.launch = owner.launch;
  bulk.block = owner.block;
  bulk.cluster = owner.cluster;
  bulk.row = 0;
  bulk.byte = 0;
  bulk.coming = 0;
  bulk.asked = false;
  Cycle first = start;
  if (bulk.copy.map != 0) first = std::max(first, header(static_cast<std::uint32_t>(bulk.copy.map / map_bytes) | map_flag, start, spec.map));
  ++bulk_in_flight_;
  const std::size_t rows = bulk.copy.rows.size();
  std::uint64_t lines = 0;
  for (const BulkCopy::Row& row : bulk.copy.rows)
    lines += (row.address + row.bytes + spec_.l1.line_bytes - 1) / spec_.l1.line_bytes - row.address / spec_.l1.line_bytes;
  if (bulk.copy.kind == BulkCopy::Kind::between_blocks) {
    bulk_free_ = std::max(bulk_free_, static_cast<double>(first)) + bulk.copy.bytes * spec_.cluster.between_blocks_byte;
    bulk.next = bulk_free_ + spec_.cluster.between_blocks - std::min(spec.done, spec_.cluster.between_blocks);
  } else {
    const double rate = bulk.copy.kind == BulkCopy::Kind::store ? spec.store_byte : spec.reduction_byte;
    const double all = bulk.loads() ? std::max(static_cast<double>(lines) * spec.line, static_cast<double>(rows) * spec.row)
                                    : bulk.copy.bytes * rate;
    double& free = bulk.loads() ? bulk_free_ : bulk_store_free_;
    bulk.next = std::max(free, static_cast<double>(first + (bulk.loads() ? spec.issue : spec.store)));
    bulk.interval = lines == 0 ? 0 : all / static_cast<double>(lines);
    free = bulk.next + all;
  }
  calendar_.add(static_cast<Cycle>(bulk.next), {EventKind::bulk, op.warp, sass::Control::no_barrier, SmEvent::no_group, op.bulk});
}

void MemoryUnit::ask_bulk(std::uint32_t which, std::uint64_t line, std::uint8_t sectors, Cycle at) {
  Bulk& bulk = bulks_[which];
  const std::uint32_t id = new_fill();
  fills_[id].line = line;
  fills_[id].sectors = sectors;
  fills_[id].bulk = which;
  ++bulk.coming;
  ++bulk_in_flight_;
  ++counters_.requests;
  unfenced_ = true;
  const auto count = static_cast<std::uint8_t>(std::popcount(sectors));
  MemoryRequest out;
  out.at = at;
  out.line = line;
  out.id = id;
  out.sm = static_cast<std::uint16_t>(sm_);
  out.kind = bulk.loads() ? RequestKind::load : bulk.copy.kind == BulkCopy::Kind::store ? RequestKind::store : RequestKind::reduction;
  out.sectors = sectors;
  out.lanes = static_cast<std::uint8_t>(count * (spec_.l1.sector_bytes / 4));
  out.turns = count;
  out.deepest = 1;
  out.copy = bulk.loads();
  out.promotes = bulk.loads() && bulk.copy.promotes;
  out.prefetch = bulk.copy.kind == BulkCopy::Kind::prefetch;
  out.launch = bulk.launch;
  send(out, 0);
}

void MemoryUnit::step_bulk(std::uint32_t which, Cycle now) {
  Bulk& bulk = bulks_[which];
  const unsigned line_bytes = spec_.l1.line_bytes;
  const unsigned sector_bytes = spec_.l1.sector_bytes;
  for (unsigned sent = 0; sent < lines_at_once && bulk.row < bulk.copy.rows.size(); ++sent) {
    const BulkCopy::Row& row = bulk.copy.rows[bulk.row];
    const std::uint64_t from = row.address + bulk.byte;
    const std::uint64_t line = from / line_bytes;
    const std::uint64_t end = std::min((line + 1) * line_bytes, row.address + row.bytes);
    std::uint8_t sectors = 0;
    for (std::uint64_t byte = from; byte < end; byte = (byte / sector_bytes + 1) * sector_bytes)
      sectors |= static_cast<std::uint8_t>(1U << (byte % line_bytes / sector_bytes));
    ask_bulk(which, line, sectors, std::max(now, static_cast<Cycle>(bulk.next)));
    bulk.next += bulk.interval;
    bulk.byte += static_cast<std::uint32_t>(end - from);
    if (bulk.byte == row.bytes) {
      ++bulk.row;
      bulk.byte = 0;
    }
  }
  const bool over = bulk.row >= bulk.copy.rows.size() || bulk.copy.kind == BulkCopy::Kind::between_blocks;
  if (!over) {
    calendar_.add(std::max(now + 1, static_cast<Cycle>(bulk.next)),
                  {EventKind::bulk, bulk.warp, sass::Control::no_barrier, SmEvent::no_group, which});
    return;
  }
  bulk.asked = true;
  --bulk_in_flight_;
  if (bulk.coming == 0) end_bulk(which, now);
}

void MemoryUnit::end_bulk(std::uint32_t which, Cycle at) {
  const Bulk& bulk = bulks_[which];
  const Cycle there = at + spec_.bulk.done;
  if (bulk.fills_shared()) {
    each_target(bulk, [&](std::uint32_t offset, const ClusterState::Member* member) {
      if (member == nullptr)
        landed({bulk.block, offset}, bulk.copy.number, there);
      else
        member->sm->landed({member->block, offset}, bulk.copy.number, there);
    });
  }
  bulks_.give_back(which);
}

}  // namespace warpgauge::model
