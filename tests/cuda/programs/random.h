// rnd(): the same numbers in each run, xorshift of 64 bits.
#pragma once

#include <cstdint>

static uint64_t random_state = 1;
static uint32_t rnd() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 16);
}
