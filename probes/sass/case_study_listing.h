// Jia, Maggioni, Staiger, Scarpazza: Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018),
// table 1.1: the operands of the 64 FFMAs of one step of a matrix product, as the compiler gave them out and as the
// authors did. Eight values of one matrix are in R12 to R15 and R8 to R11, eight of the other in R80 to R83 and R4 to
// R7, the sums in R16 to R79.
#pragma once

#include <string_view>

namespace warpgauge::probes {

inline constexpr std::string_view compiler_listing = R"(
FFMA R16, R12, R80, R16
FFMA R17, R80.reuse, R13, R17
FFMA R18, R80.reuse, R14, R18
FFMA R19, R80, R15, R19
FFMA R20, R80.reuse, R8, R20
FFMA R21, R80.reuse, R9, R21
FFMA R22, R80.reuse, R10, R22
FFMA R23, R80, R11, R23
FFMA R24, R12, R81.reuse, R24
FFMA R25, R13, R81, R25
FFMA R26, R14, R81.reuse, R26
FFMA R27, R15, R81.reuse, R27
FFMA R28, R8, R81.reuse, R28
FFMA R29, R9, R81.reuse, R29
FFMA R30, R10, R81.reuse, R30
FFMA R31, R11, R81, R31
FFMA R32, R12, R82.reuse, R32
FFMA R33, R13, R82.reuse, R33
FFMA R34, R14, R82.reuse, R34
FFMA R35, R15, R82.reuse, R35
FFMA R36, R8, R82.reuse, R36
FFMA R37, R9, R82, R37
FFMA R38, R10, R82.reuse, R38
FFMA R39, R11, R82, R39
FFMA R40, R12, R83.reuse, R40
FFMA R41, R13, R83.reuse, R41
FFMA R42, R14, R83.reuse, R42
FFMA R43, R15, R83, R43
FFMA R44, R8, R83.reuse, R44
FFMA R45, R9, R83.reuse, R45
FFMA R46, R10, R83.reuse, R46
FFMA R47, R11, R83, R47
FFMA R48, R12, R4.reuse, R48
FFMA R49, R13, R4, R49
FFMA R50, R14, R4.reuse, R50
FFMA R51, R15, R4.reuse, R51
FFMA R52, R8, R4.reuse, R52
FFMA R53, R9, R4.reuse, R53
FFMA R54, R10, R4.reuse, R54
FFMA R55, R11, R4, R55
FFMA R56, R12, R5.reuse, R56
FFMA R57, R13, R5.reuse, R57
FFMA R58, R14, R5.reuse, R58
FFMA R59, R15, R5.reuse, R59
FFMA R60, R8, R5.reuse, R60
FFMA R61, R9, R5, R61
FFMA R62, R10, R5.reuse, R62
FFMA R63, R11, R5, R63
FFMA R64, R12, R6.reuse, R64
FFMA R65, R13, R6.reuse, R65
FFMA R66, R14, R6.reuse, R66
FFMA R67, R15, R6, R67
FFMA R68, R8, R6.reuse, R68
FFMA R69, R9, R6.reuse, R69
FFMA R70, R10, R6.reuse, R70
FFMA R71, R11, R6, R71
FFMA R72, R12, R7.reuse, R72
FFMA R73, R13, R7, R73
FFMA R74, R14, R7.reuse, R74
FFMA R75, R15, R7.reuse, R75
FFMA R76, R8, R7.reuse, R76
FFMA R77, R9, R7.reuse, R77
FFMA R78, R10, R7.reuse, R78
FFMA R79, R11, R7, R79
)";

inline constexpr std::string_view improved_listing = R"(
FFMA R17, R12.reuse, R80.reuse, R17
FFMA R16, R12, R81.reuse, R16
FFMA R25, R13.reuse, R80.reuse, R25
FFMA R24, R13, R81.reuse, R24
FFMA R33, R14.reuse, R80.reuse, R33
FFMA R32, R14, R81.reuse, R32
FFMA R41, R15.reuse, R80.reuse, R41
FFMA R40, R15, R81.reuse, R40
FFMA R49, R8.reuse, R80.reuse, R49
FFMA R48, R8, R81.reuse, R48
FFMA R57, R9.reuse, R80.reuse, R57
FFMA R56, R9, R81.reuse, R56
FFMA R65, R10.reuse, R80.reuse, R65
FFMA R64, R10.reuse, R81.reuse, R64
FFMA R73, R11.reuse, R80, R73
FFMA R72, R11.reuse, R81, R72
FFMA R75, R11.reuse, R82.reuse, R75
FFMA R74, R11, R83.reuse, R74
FFMA R67, R10.reuse, R82.reuse, R67
FFMA R66, R10, R83.reuse, R66
FFMA R59, R9.reuse, R82.reuse, R59
FFMA R58, R9, R83.reuse, R58
FFMA R51, R8.reuse, R82.reuse, R51
FFMA R50, R8, R83.reuse, R50
FFMA R43, R15.reuse, R82.reuse, R43
FFMA R42, R15, R83.reuse, R42
FFMA R35, R14.reuse, R82.reuse, R35
FFMA R34, R14, R83.reuse, R34
FFMA R27, R13.reuse, R82.reuse, R27
FFMA R26, R13.reuse, R83.reuse, R26
FFMA R19, R12.reuse, R82, R19
FFMA R18, R12.reuse, R83, R18
FFMA R21, R12.reuse, R4.reuse, R21
FFMA R20, R12, R5.reuse, R20
FFMA R29, R13.reuse, R4.reuse, R29
FFMA R28, R13, R5.reuse, R28
FFMA R37, R14.reuse, R4.reuse, R37
FFMA R36, R14, R5.reuse, R36
FFMA R45, R15.reuse, R4.reuse, R45
FFMA R44, R15, R5.reuse, R44
FFMA R53, R8.reuse, R4.reuse, R53
FFMA R52, R8, R5.reuse, R52
FFMA R61, R9.reuse, R4.reuse, R61
FFMA R60, R9, R5.reuse, R60
FFMA R69, R10.reuse, R4.reuse, R69
FFMA R68, R10.reuse, R5.reuse, R68
FFMA R77, R11.reuse, R4, R77
FFMA R76, R11.reuse, R5, R76
FFMA R79, R11.reuse, R6.reuse, R79
FFMA R78, R11, R7.reuse, R78
FFMA R71, R10.reuse, R6.reuse, R71
FFMA R70, R10, R7.reuse, R70
FFMA R63, R9.reuse, R6.reuse, R63
FFMA R62, R9, R7.reuse, R62
FFMA R55, R8.reuse, R6.reuse, R55
FFMA R54, R8, R7.reuse, R54
FFMA R47, R15.reuse, R6.reuse, R47
FFMA R46, R15, R7.reuse, R46
FFMA R39, R14.reuse, R6.reuse, R39
FFMA R38, R14, R7.reuse, R38
FFMA R31, R13.reuse, R6.reuse, R31
FFMA R30, R13.reuse, R7.reuse, R30
FFMA R23, R12.reuse, R6, R23
FFMA R22, R12.reuse, R7, R22
)";

}  // namespace warpgauge::probes
