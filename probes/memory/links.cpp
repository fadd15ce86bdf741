// Between the device and its host, and between two devices: bandwidth and latency (Jia2018 tables 5.1
// and 5.2).
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

struct LinkName {
  Link link;
  const char* name;
};

void copies(Bench& bench, Findings& findings, const LinkName& link) {
  for (const std::uint64_t bytes : {std::uint64_t{4}, 4 * kib, 64 * kib, mib, 16 * mib, 256 * mib}) {
    const int count = bytes >= 16 * mib ? 4 : 64;
    double best = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double seconds = bench.target().copy(link.link, bytes, count) / count;
      findings.sample(std::string("time of a copy, ") + link.name, "bytes", "us", static_cast<double>(bytes),
                      seconds * 1e6);
      best = std::max(best, static_cast<double>(bytes) / seconds / 1e9);
    }
    findings.sample(std::string("bandwidth, ") + link.name, "bytes", "GB/s", static_cast<double>(bytes),
                    best);
  }
}

void measure_host(Bench& bench, Findings& findings) {
  for (const LinkName& link : {LinkName{Link::host_to_device_pinned, "host to device, pinned"},
                               {Link::device_to_host_pinned, "device to host, pinned"},
                               {Link::host_to_device, "host to device, pageable"},
                               {Link::device_to_host, "device to host, pageable"}}) {
    try {
      copies(bench, findings, link);
    } catch (const TargetError& why) {
      throw ProbeRefusal(why.what());
    }
  }
}

void measure_peer(Bench& bench, Findings& findings) {
  DeviceAddress peer = 0;
  try {
    peer = bench.target().allocate_on_peer(64 * mib);
  } catch (const TargetError& why) {
    throw ProbeRefusal(why.what());
  }
  copies(bench, findings, {Link::device_to_peer, "device to peer"});
  copies(bench, findings, {Link::peer_to_device, "peer to device"});
  // A chase and a stream of loads and stores that cross the link.
  const Buffer out =
      bench.allocate(std::uint64_t{2} * static_cast<std::uint64_t>(bench.facts().sm_count) * 40 + 64);
  const auto order = random_order(4096, 4096 + 128, 3);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t next = peer + order[i + 1 == order.size() ? 0 : i + 1];
    bench.target().write(peer + order[i], std::as_bytes(std::span(&next, 1)));
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    bench.run(
        bench.kernel("chase", "chase_cg64"), {}, {},
        Parameters().add(out.address()).add(peer + order[0]).add(std::uint32_t{4}).add(std::uint32_t{64}));
    const auto words = out.read<std::uint64_t>(2);
    findings.sample("latency of a load from the peer", "repetition", "cycles", repeat,
                    static_cast<double>(words[0]) / static_cast<double>(words[1]));
  }
}

}  // namespace

extern const Probe links_host{"links.host",          "Bandwidth and latency between host and device",
                              "Jia2018 section 5.1", 70,
                              measure_host,          nullptr};
extern const Probe links_peer{
    "links.peer", "Bandwidth and latency between two devices", "Jia2018 tables 5.1 and 5.2", 70, measure_peer,
    nullptr};

}  // namespace warpgauge::probes
