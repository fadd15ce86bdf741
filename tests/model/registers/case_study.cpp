#include "tests/model/registers/case_study.h"

#include <sstream>
#include <stdexcept>

#include "probes/sass/case_study_listing.h"
#include "tests/model/registers/kit.h"

namespace warpgauge::registers::kit {

std::vector<sass::Instruction> case_study(const std::string& which) {
  std::istringstream listing(
      std::string(which == "compiler" ? probes::compiler_listing : probes::improved_listing));
  std::vector<Line> lines;
  for (const unsigned quad : {4U, 8U, 12U, 80U}) lines.push_back(lds(quad, 2, 4).sets(0));
  std::string text;
  while (std::getline(listing, text)) {
    if (text.empty()) continue;
    std::istringstream words(text);
    std::string name;
    words >> name;
    unsigned operand[4] = {};
    unsigned reuse = 0;
    for (unsigned k = 0; k < 4; ++k) {
      std::string field;
      words >> field;  // "R12.reuse,"
      operand[k] = static_cast<unsigned>(std::stoul(field.substr(1)));
      if (k > 0 && field.find(".reuse") != std::string::npos) reuse |= 1U << (k - 1);
    }
    if (name != "FFMA") throw std::runtime_error("no FFMA: " + text);
    lines.push_back(ffma(operand[0], operand[1], operand[2], operand[3]).stall(2).reuse(reuse));
    const std::size_t ffma_number = lines.size() - 4;  // from 1, behind the four loads
    if (which == "compiler" && ffma_number % 6 == 4) lines.back().yield();
    if (lines.size() == 5) lines.back().waits(0);
  }
  lines.push_back(bra(0).guard(0));
  lines.push_back(exit());
  return assemble(lines);
}

}  // namespace warpgauge::registers::kit
