#include "model/memory/tpc_distances.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpgauge::model {

std::vector<int> tpc_distances(const ClusterShape& shape, const std::vector<std::uint64_t>& distances) {
  const unsigned per_tpc = std::max(1U, shape.sms_per_tpc);
  const unsigned cpcs = std::max(1U, shape.cpcs_per_gpc);
  const auto known = static_cast<unsigned>(distances.size() / cpcs);
  const unsigned count = std::accumulate(shape.sms.begin(), shape.sms.end(), 0U);
  if (known == 0 || count == 0) return std::vector<int>(count, 0);

  std::vector<double> cycles;
  cycles.reserve(count);
  for (std::size_t cluster = 0; cluster < shape.sms.size(); ++cluster) {
    const unsigned tpcs = (shape.sms[cluster] + per_tpc - 1) / per_tpc;
    const unsigned loose = cluster == 0 ? std::min(tpcs, shape.loose_sms / per_tpc) : 0;
    for (unsigned sm = 0; sm < shape.sms[cluster]; ++sm) {
      const unsigned turn = (sm / per_tpc + tpcs - loose) % tpcs;
      const unsigned cpc = turn % cpcs;
      const unsigned behind = (tpcs - 1 - turn) / cpcs;  // of the same CPC
      cycles.push_back(static_cast<double>(distances[cpc * known + std::min(behind, known - 1)]));
    }
  }
  const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / count;
  std::vector<int> beyond;
  beyond.reserve(count);
  for (const double each : cycles) beyond.push_back(static_cast<int>(std::lround(each - mean)));
  return beyond;
}

}  // namespace warpgauge::model
