// What each mechanism of the model is worth: the suite is run again with one of them idealised at a time.
// A mechanism is idealised by a change of the calibration, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/loader.h"
#include "cli/validate/comparison.h"

namespace warpgauge::cli {

struct Mechanism {
  const char* name;
  const char* idealised;  // one sentence: what holds when it is
  void (*idealise)(calib::Calibration&);
};

const std::vector<Mechanism>& mechanisms();

// "reuse_cache,prefetch", or "all". Throws Failure (usage) with the names that there are.
std::vector<const Mechanism*> find_mechanisms(const std::string& names);

// The calibration with that mechanism idealised, and the keys that this changed; none where the device does
// not have the mechanism.
calib::Calibration idealised(const calib::Calibration& calibration, const Mechanism& mechanism,
                             std::vector<calib::Difference>& changes);

struct Ablation {
  const Mechanism* mechanism = nullptr;
  std::vector<calib::Difference> changes;
  std::vector<Comparison> comparisons;
};

// What idealising did to the cycles of the cases of one family; families in order.
struct FamilyChange {
  std::string family;
  std::size_t cases = 0;
  double cycles = 0;               // geometric mean of idealised / as it is, less 1
  double mean_absolute_error = 0;  // with it idealised
};
std::vector<FamilyChange> family_changes(const std::vector<Comparison>& as_it_is, const Ablation& ablation);

std::string ablation_text(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations);

// A line a mechanism and case: mechanism, case, family, half, measured, predicted, idealised.
std::string ablation_csv(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations);

// {"schema": "warpgauge-ablation/1", "as_it_is": summary, "mechanisms": [{"name", "idealised", "changes",
// "summary", "families", "cases"}]}
std::string ablation_json(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations);

// The names with what each means and the keys that it changes in this calibration.
std::string mechanism_text(const calib::Calibration& calibration);

}  // namespace warpgauge::cli
