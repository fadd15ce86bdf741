#include "model/report/csv.h"

namespace warpgauge::model {

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += '"';
  }
  return out + '"';
}

}  // namespace warpgauge::model
