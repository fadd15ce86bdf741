// The stored corpus against decoder, encoder, printer and assembler.
#include "tests/sass/corpus.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/sass/tools/oracle.h"
#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::sass {
namespace {

class Corpus : public testing::TestWithParam<Architecture> {
 protected:
  static const std::vector<tests::Entry>& entries() {
    static std::map<Architecture, std::vector<tests::Entry>> loaded;
    auto& corpus = loaded[GetParam()];
    if (corpus.empty()) corpus = tests::load_corpus(GetParam());
    return corpus;
  }
};

INSTANTIATE_TEST_SUITE_P(EveryArchitecture, Corpus, testing::ValuesIn(all_architectures),
                         [](const auto& parameter) { return std::string(name(parameter.param)); });

TEST_P(Corpus, HoldsFiftyThousandWords) {
  EXPECT_GE(entries().size(), 50000U);
}

TEST_P(Corpus, EveryWordIsEncodedAsItWas) {
  for (const tests::Entry& entry : entries()) {
    const Instruction instruction = decode(entry.word, GetParam(), entry.offset);
    ASSERT_EQ(encode(instruction, entry.offset), entry.word) << entry.text;
  }
}

TEST_P(Corpus, CompiledCodeIsPrintedAsTheOracleDoes) {
  for (const tests::Entry& entry : entries()) {
    if (entry.mutated) continue;
    const std::string ours = print(decode(entry.word, GetParam(), entry.offset));
    ASSERT_EQ(tools::as_oracle(ours, GetParam()), entry.text);
  }
}

// Flipped bits also make words that no compiler writes, and that nvdisasm prints in ways of its own: what it
// ignores, what it calls by another name. docs/sass.md has the kinds.
TEST_P(Corpus, MutatedWordsArePrintedAsTheOracleDoesInNineHundredNinetyOfAThousand) {
  std::size_t mutated = 0;
  std::size_t equal = 0;
  for (const tests::Entry& entry : entries()) {
    if (!entry.mutated) continue;
    ++mutated;
    if (tools::as_oracle(print(decode(entry.word, GetParam(), entry.offset)), GetParam()) == entry.text)
      ++equal;
  }
  EXPECT_GE(static_cast<double>(equal), 0.99 * static_cast<double>(mutated)) << equal << " of " << mutated;
}

TEST_P(Corpus, TheTextIsAssembledToTheWord) {
  for (const tests::Entry& entry : entries()) {
    const Instruction instruction = decode(entry.word, GetParam(), entry.offset);
    const std::string text = print_exact(instruction, entry.offset);
    ASSERT_EQ(assemble_instruction(text, GetParam(), entry.offset).word, entry.word) << text;
  }
}

// Where nvdisasm's text leaves something open, the exact text says the rest. In compiled code that is rare.
TEST_P(Corpus, NvdisasmsTextAloneDeterminesCompiledWordsButForOneInAHundred) {
  std::size_t compiled = 0;
  std::size_t open = 0;
  for (const tests::Entry& entry : entries()) {
    if (entry.mutated) continue;
    ++compiled;
    const Instruction instruction = decode(entry.word, GetParam(), entry.offset);
    if (print_exact(instruction, entry.offset).find("{^") != std::string::npos) ++open;
  }
  EXPECT_LE(100 * open, compiled);
}

}  // namespace
}  // namespace warpgauge::sass
