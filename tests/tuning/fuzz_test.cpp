#include "support.hpp"

using namespace tutti;

namespace {

/// Changes a text in ways in which files come to be wrong.
class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutated(std::string text) {
        for (std::size_t change = 1 + below(3); change > 0 && !text.empty(); --change) {
            change_once(text);
        }
        return text;
    }

private:
    std::size_t below(std::size_t end) { return random_() % end; }

    void change_once(std::string& text) {
        const std::size_t at = below(text.size());
        switch (below(7)) {
        case 0:
            text[at] = static_cast<char>(below(256));
            break;
        case 1:
            text.erase(at, 1 + below(40));
            break;
        case 2:
            text.insert(at, text.substr(below(text.size()), 1 + below(200)));
            break;
        case 3:
            text[at] = "0123456789 -.eE\n"[below(16)];
            break;
        case 4:
            text.insert(at, 1 + below(30), "90 \n-"[below(5)]);
            break;
        case 5:
            exchange_words(text, at);
            break;
        default:
            text.resize(1 + at);
            break;
        }
    }

    /// The word at `at` becomes another word of the text.
    void exchange_words(std::string& text, std::size_t at) {
        const auto word_at = [&](std::size_t place) {
            const std::size_t first = text.find_last_of(" \n", place);
            const std::size_t start = first == std::string::npos ? 0 : first + 1;
            return std::pair{start, text.find_first_of(" \n", start) - start};
        };
        const auto [other, other_length] = word_at(below(text.size()));
        const std::string word = text.substr(other, other_length);
        const auto [start, length] = word_at(at);
        text.replace(start, length, word);
    }

    std::mt19937 random_;
};

/// Whether the text is refused; if not, it must be the text of the table that it makes.
bool is_refused(const std::string& text) {
    tuning::Table table;
    if (!test::message_of([&] { table = tuning::parse(text); }).empty()) {
        return true;
    }
    for (const tuning::Entry& entry : table.entries) {
        for (const tuning::Measured& measured : entry.measured) {
            const algorithm::Algorithm& row = algorithm::registry()[measured.row];
            CHECK(tuning::may_choose(row, entry.point.operands, entry.point.members));
        }
    }
    CHECK(tuning::parse(tuning::to_text(table)) == table);
    return false;
}

} // namespace

TEST_CASE("whatever happens to a file, it is refused or makes a sound table") {
    constexpr unsigned seed = 20240917;
    constexpr int mutants = 20'000;
    MESSAGE("seed ", seed);
    const std::string text = tuning::to_text(test::small_table());
    Mutator mutator(seed);
    int changed = 0;
    int refused = 0;
    int sound = 0;
    for (int i = 0; i < mutants; ++i) {
        const std::string mutant = mutator.mutated(text);
        changed += mutant != text ? 1 : 0;
        refused += is_refused(mutant) ? 1 : 0;
        // A forger sets the checksum right.
        sound +=
            mutant.rfind("\nend ") != std::string::npos && !is_refused(test::with_right_end(mutant)) ? 1 : 0;
    }
    CHECK(refused == changed);
    // Else the reader behind the checksum has not been tried.
    CHECK(sound > mutants / 100);
    CHECK(sound < mutants / 2);
}
