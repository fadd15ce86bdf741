// placeholder until the renderings land
#pragma once
#include "model/report/report.h"
namespace warpgauge::model { inline std::string to_json(const Report&) {return "";} inline std::string to_csv(const Report&){return "";} inline std::string to_source_text(const Report&){return "";} 
inline std::string to_text(const Report& r){ std::string s; for (auto& k: r.kernels){ s+=k.symbol+" cycles "+std::to_string(k.cycles)+" us "+std::to_string(k.time_us)+"\n"; for (auto&[m,v]:k.metrics) s+="   "+m+" "+std::to_string(v)+"\n"; } return s;} }
