// The special registers that S2R, S2UR and CS2R read, by number.
#include <string>

#include "traces/sass/print.h"

namespace warpgauge::sass {
namespace {

struct Named {
  unsigned index;
  unsigned from;  // the first architecture that has this name
  std::string_view name;
};

// Probed from nvdisasm. A later entry for the same number holds from its architecture on.
constexpr Named special_registers[] = {
    {0, 70, "SR_LANEID"},
    {1, 70, "SR_CLOCK"},
    {2, 70, "SR_VIRTCFG"},
    {3, 70, "SR_VIRTID"},
    {15, 70, "SR_ORDERING_TICKET"},
    {16, 70, "SR_PRIM_TYPE"},
    {17, 70, "SR_INVOCATION_ID"},
    {18, 70, "SR_Y_DIRECTION"},
    {19, 70, "SR_THREAD_KILL"},
    {20, 70, "SM_SHADER_TYPE"},
    {21, 70, "SR_DIRECTCBEWRITEADDRESSLOW"},
    {22, 70, "SR_DIRECTCBEWRITEADDRESSHIGH"},
    {23, 70, "SR_DIRECTCBEWRITEENABLED"},
    {24, 70, "SR_MACHINE_ID_0"},
    {25, 70, "SR_MACHINE_ID_1"},
    {26, 70, "SR_MACHINE_ID_2"},
    {27, 70, "SR_MACHINE_ID_3"},
    {28, 70, "SR_AFFINITY"},
    {29, 70, "SR_INVOCATION_INFO"},
    {30, 70, "SR_WSCALEFACTOR_XY"},
    {31, 70, "SR_WSCALEFACTOR_Z"},
    {32, 70, "SR_TID"},
    {33, 70, "SR_TID.X"},
    {34, 70, "SR_TID.Y"},
    {35, 70, "SR_TID.Z"},
    {37, 70, "SR_CTAID.X"},
    {38, 70, "SR_CTAID.Y"},
    {39, 70, "SR_CTAID.Z"},
    {40, 70, "SR_NTID"},
    {41, 70, "SR_CirQueueIncrMinusOne"},
    {42, 70, "SR_NLATC"},
    {44, 70, "SR_SM_SPA_VERSION"},
    {45, 70, "SR_MULTIPASSSHADERINFO"},
    {46, 70, "SR_LWINHI"},
    {47, 70, "SR_SWINHI"},
    {48, 70, "SR_SWINLO"},
    {49, 70, "SR_SWINSZ"},
    {50, 70, "SR_SMEMSZ"},
    {51, 70, "SR_SMEMBANKS"},
    {52, 70, "SR_LWINLO"},
    {53, 70, "SR_LWINSZ"},
    {54, 70, "SR_LMEMLOSZ"},
    {55, 70, "SR_LMEMHIOFF"},
    {56, 70, "SR_EQMASK"},
    {57, 70, "SR_LTMASK"},
    {58, 70, "SR_LEMASK"},
    {59, 70, "SR_GTMASK"},
    {60, 70, "SR_GEMASK"},
    {61, 70, "SR_REGALLOC"},
    {62, 70, "SR_BARRIERALLOC"},
    {64, 70, "SR_GLOBALERRORSTATUS"},
    {66, 70, "SR_WARPERRORSTATUS"},
    {67, 70, "SR_VIRTUALSMID"},
    {68, 70, "SR_VIRTUALENGINEID"},
    {80, 70, "SR_CLOCKLO"},
    {81, 70, "SR_CLOCKHI"},
    {82, 70, "SR_GLOBALTIMERLO"},
    {83, 70, "SR_GLOBALTIMERHI"},
    {84, 70, "SR_ESR_PC"},
    {85, 70, "SR_ESR_PC_HI"},
    {96, 70, "SR_HWTASKID"},
    {97, 70, "SR_CIRCULARQUEUEENTRYINDEX"},
    {98, 70, "SR_CIRCULARQUEUEENTRYADDRESSLOW"},
    {99, 70, "SR_CIRCULARQUEUEENTRYADDRESSHIGH"},
    {100, 70, "SR_PM0"},
    {101, 70, "SR_PM_HI0"},
    {102, 70, "SR_PM1"},
    {103, 70, "SR_PM_HI1"},
    {104, 70, "SR_PM2"},
    {105, 70, "SR_PM_HI2"},
    {106, 70, "SR_PM3"},
    {107, 70, "SR_PM_HI3"},
    {108, 70, "SR_PM4"},
    {109, 70, "SR_PM_HI4"},
    {110, 70, "SR_PM5"},
    {111, 70, "SR_PM_HI5"},
    {112, 70, "SR_PM6"},
    {113, 70, "SR_PM_HI6"},
    {114, 70, "SR_PM7"},
    {115, 70, "SR_PM_HI7"},
    {116, 70, "SR_SNAP_PM0"},
    {117, 70, "SR_SNAP_PM_HI0"},
    {118, 70, "SR_SNAP_PM1"},
    {119, 70, "SR_SNAP_PM_HI1"},
    {120, 70, "SR_SNAP_PM2"},
    {121, 70, "SR_SNAP_PM_HI2"},
    {122, 70, "SR_SNAP_PM3"},
    {123, 70, "SR_SNAP_PM_HI3"},
    {124, 70, "SR_SNAP_PM4"},
    {125, 70, "SR_SNAP_PM_HI4"},
    {126, 70, "SR_SNAP_PM5"},
    {127, 70, "SR_SNAP_PM_HI5"},
    {128, 70, "SR_SNAP_PM6"},
    {129, 70, "SR_SNAP_PM_HI6"},
    {130, 70, "SR_SNAP_PM7"},
    {131, 70, "SR_SNAP_PM_HI7"},
    {255, 70, "SRZ"},
    {24, 80, "SR_SW_SCRATCH"},
    {132, 75, "SR_VARIABLE_RATE"},
    {133, 75, "SR_TTU_TICKET_INFO"},
    {65, 90, "SR_CGAERRORSTATUS"},
    {134, 90, "SR_WARPGROUP_INFO"},
    {135, 90, "SR_WARPGROUPID"},
    {136, 90, "SR_CgaCtaId"},
    {137, 90, "SR_GpcLocalCgaId"},
    {139, 90, "SR_CTARegPoolSz"},
};

}  // namespace

std::string special_register_name(unsigned index, Architecture architecture) {
  std::string_view found;
  for (const Named& entry : special_registers) {
    if (entry.index == index && entry.from <= static_cast<unsigned>(architecture)) found = entry.name;
  }
  return found.empty() ? "SR" + std::to_string(index) : std::string(found);
}

std::optional<unsigned> special_register_number(std::string_view name, Architecture architecture) {
  for (unsigned i = 0; i < 256; ++i) {
    if (special_register_name(i, architecture) == name) return i;
  }
  return std::nullopt;
}

}  // namespace warpgauge::sass
