// Replacement policies by name: which of them explains what hit and what missed of a row of accesses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpgauge::probes {

enum class Policy : std::uint8_t {
  lru,   // the least recently used
  aged,  // the one whose last hit is the most hits ago, of new lines as if they had been hit so many hits ago
  fifo,  // the one that came first
  tree,  // the leaf that a binary tree of turns points at; ways must be a power of two
  clock,          // the first, going round, that was not used since the hand last passed
  unused_first,   // the first that was not used since all had been
  unused_random,  // any that was not used since all had been
  random,         // any
};
inline constexpr std::array all_policies = {Policy::lru,           Policy::aged,  Policy::fifo,
                                            Policy::tree,          Policy::clock, Policy::unused_first,
                                            Policy::unused_random, Policy::random};

[[nodiscard]] std::string_view name_of(Policy policy);
// What the calibration calls it: of those that only come near to LRU it knows that they are not.
[[nodiscard]] std::string_view choice_of(Policy policy);
[[nodiscard]] constexpr bool draws(Policy policy) {
  return policy == Policy::unused_random || policy == Policy::random;
}

// Which accesses hit in a set of so many ways that begins empty. Lines are numbers below 65536. Policies that
// draw do so from the seed; `age` is that of Policy::aged.
[[nodiscard]] std::vector<bool> hits_of(Policy policy, unsigned ways, std::span<const std::uint32_t> lines,
                                        std::uint64_t seed = 1, unsigned age = 2);

// How near a policy comes to what was seen: 0 to 1.
struct Match {
  Policy policy;
  double share;
  unsigned age = 0;  // Policy::aged: the one that comes nearest
};
// The best first; policies that these ways cannot have are left out. One that draws nothing is held against
// every access. One that draws cannot be: what counts is how often a line hits by how many others were used
// since its last use, and the share is 1 less the mean difference from the policy's own frequency.
[[nodiscard]] std::vector<Match> matches(unsigned ways, std::span<const std::uint32_t> lines,
                                         const std::vector<bool>& hits);

// The policy that explains the accesses, if one does and no other does as well.
[[nodiscard]] std::optional<Policy> explanation(std::span<const Match> best_first);

}  // namespace warpgauge::probes
