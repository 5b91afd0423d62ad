#include "model/machine_drawing.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace tutti::laboratory {

using graph::LevelTree;
using graph::RankRange;

namespace {

// All lengths in pixels.
constexpr double margin = 24;
constexpr double widest = 1200;
constexpr double narrowest = 800;
constexpr double header = 52;
/// The tree of levels.
constexpr double caption_width = 250;
constexpr double level_height = 34;
constexpr double level_gap = 6;
constexpr double thin = 6;
/// The machine.
constexpr double cell_width = 25;
constexpr double cell_height = 26;
constexpr double gap = 3;
constexpr double label_height = 13;
constexpr double letter_width = 5.1;

struct Size {
    double width = 0;
    double height = 0;
};

struct Corner {
    double x = 0;
    double y = 0;
};

/// The text as an element of XML holds it: three characters are XML's own.
std::string xml_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return result;
}

/// How the frames of each level of the machine are arranged.
class Arrangement {
public:
    explicit Arrangement(const MachineDrawing& drawing)
        : whole_(drawing.whole), labels_(static_cast<std::size_t>(whole_.tree.last()) + 1),
          columns_(labels_.size(), 1) {
        for (int level = 0; level < whole_.tree.last(); ++level) {
            labels_[at(level)] = label_length(drawing, level);
            children_.push_back(most_children(level));
        }
        std::vector<int> columns = columns_;
        search(0, columns);
        sizes_ = sizes_with(columns_);
    }

    Size size(int level) const { return sizes_[at(level)]; }

    /// The text at the top of a frame.
    static std::string label(const MachineDrawing& drawing, int level, int number) {
        const std::vector<std::size_t>& kinds = drawing.whole.kinds[at(level)];
        // Cores are small, and their numbers add nothing to those of CPUs.
        if (kinds.empty() || part_kinds()[kinds.front()].number == &machine::Pu::core) {
            return "";
        }
        const bool is_l3 = std::ranges::any_of(
            kinds, [](std::size_t kind) { return part_kinds()[kind].number == &machine::Pu::l3; });
        return drawing.whole.name_of(level, number) +
               (is_l3 && drawing.machine.l3_bytes > 0 ? ", " + bench::format_bytes(drawing.machine.l3_bytes)
                                                      : "");
    }

    /// The corner of a frame's child, of that number among its siblings.
    Corner child(int level, Corner frame, int number) const {
        const Size inner = sizes_[at(level + 1)];
        const int row = number / columns_[at(level)];
        return {frame.x + inset(level) + (inner.width + gap) * (number % columns_[at(level)]),
                frame.y + inset(level) + top(level) + (inner.height + gap) * row};
    }

private:
    static std::size_t at(int level) { return static_cast<std::size_t>(level); }

    std::size_t label_length(const MachineDrawing& drawing, int level) const {
        std::size_t longest = 0;
        for (int number = 0; number < whole_.tree.groups(level); ++number) {
            longest = std::max(longest, label(drawing, level, number).size());
        }
        return longest;
    }

    int most_children(int level) const {
        int most = 1;
        for (int number = 0; number < whole_.tree.groups(level); ++number) {
            most = std::max(most, whole_.tree.children(level, number).count);
        }
        return most;
    }

    /// Groups that are no part of the machine have no frame; frames of CPUs alone are narrow.
    double inset(int level) const {
        return whole_.kinds[at(level)].empty() ? 0 : labels_[at(level)] == 0 ? gap - 1 : gap;
    }
    double top(int level) const { return labels_[at(level)] == 0 ? 0 : label_height; }

    std::vector<Size> sizes_with(const std::vector<int>& columns) const {
        std::vector<Size> sizes(columns.size(), {cell_width, cell_height});
        for (int level = whole_.tree.last() - 1; level >= 0; --level) {
            const Size inner = sizes[at(level + 1)];
            const int across = columns[at(level)];
            const int down = (children_[at(level)] + across - 1) / across;
            const double content = across * (inner.width + gap) - gap;
            sizes[at(level)] = {2 * inset(level) +
                                    std::max(content, letter_width * static_cast<double>(labels_[at(level)])),
                                2 * inset(level) + top(level) + down * (inner.height + gap) - gap};
        }
        return sizes;
    }

    /// How good columns are, the less the better: the height, which counts for more if a row is not full.
    double badness(const std::vector<int>& columns) const {
        constexpr double not_full = 1.4;
        // If nothing fits, the narrowest is the best.
        constexpr double too_wide = 1e6;
        const Size whole = sizes_with(columns).front();
        double found = whole.width > widest - 2 * margin ? too_wide * whole.width : whole.height;
        for (std::size_t level = 0; level < children_.size(); ++level) {
            found *= children_[level] % columns[level] == 0 ? 1 : not_full;
        }
        return found;
    }

    /// Tries all columns of this level and those further in.
    void search(std::size_t level, std::vector<int>& columns) {
        if (level == children_.size()) {
            const double found = badness(columns);
            if (found < least_) {
                least_ = found;
                columns_ = columns;
            }
            return;
        }
        for (int across = 1; across <= children_[level]; ++across) {
            columns[level] = across;
            search(level + 1, columns);
        }
    }

    const CpuTree& whole_;
    std::vector<std::size_t> labels_; ///< the letters of the longest of each level
    std::vector<int> children_;       ///< of the group with the most
    std::vector<int> columns_;
    std::vector<Size> sizes_;
    double least_ = std::numeric_limits<double>::infinity();
};

class MachineSvg {
public:
    explicit MachineSvg(const MachineDrawing& drawing)
        : drawing_(drawing), arrangement_(drawing),
          width_(std::max(narrowest, arrangement_.size(0).width + 2 * margin)) {
        for (std::size_t rank = 0; rank < drawing.members.pus.size(); ++rank) {
            rank_on_[drawing.members.pus[rank].os_index] = rank;
        }
    }

    std::string file() {
        text("t", margin, 28, title(drawing_));
        double y = header;
        for (int level = 1; level <= drawing_.members.tree.last(); ++level) {
            tree_level(level, y);
            y += level_height + level_gap;
        }
        y = lines(y + 8, {"levels as groups make them of where their members run, with the ranks of each; a "
                          "line: one way from a store to the load of the other that sees it,",
                          "the median of all pairs (least to most); slanted: estimated"});
        y += 12;
        frame(0, 0, {margin, y});
        y = lines(y + arrangement_.size(0).height + 18,
                  {"a cell is a CPU: its member's rank, and its own number in grey; dashed: no member"});
        return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                           "font-family=\"sans-serif\" font-size=\"10\">\n{2}<rect width=\"{0:.0f}\" "
                           "height=\"{1:.0f}\" fill=\"#fff\"/>\n{3}</svg>\n",
                           width_, y + margin - 12, style(), body_);
    }

private:
    /// Colours of sockets, nodes, L3 caches, cores, CPUs.
    static constexpr std::array colours{"#482878", "#2c6fb0", "#1f9e89", "#5da83a", "#b07d00"};

    static std::string style() {
        std::string text =
            "<style>.t{font-size:15px;font-weight:bold}.n{text-anchor:middle}.r{text-anchor:middle;font-size:"
            "10px;font-weight:bold}.c{text-anchor:middle;font-size:8.5px;fill:#666}.b{font-size:11px;font-"
            "weight:bold}.i{font-style:italic}.g{fill:#555}.f{fill:#fff;stroke-width:1.3}.thin{stroke-width:."
            "5;rx:0}.free{fill:#f5f5f5;stroke:#bbb;stroke-dasharray:2 2}";
        for (std::size_t kind = 0; kind < colours.size(); ++kind) {
            text += fmt::format(
                ".k{0}{{stroke:{1}}}.p{0}{{stroke:{1};fill:{1};fill-opacity:.14}}.q{0}{{fill:{1}}}", kind,
                colours[kind]);
        }
        return text + "</style>\n";
    }

    void text(std::string_view kind, double x, double y, std::string_view words) {
        if (words.empty()) {
            return;
        }
        body_ += fmt::format("<text class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\">{}</text>\n", kind, x, y,
                             xml_text(words));
    }

    void box(std::string_view kind, Corner corner, Size size) {
        body_ += fmt::format(
            "<rect class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" rx=\"2\"/>\n",
            kind, corner.x, corner.y, size.width, size.height);
    }

    /// Lines of small text; where they end.
    double lines(double y, std::initializer_list<std::string_view> list) {
        for (const std::string_view line : list) {
            text("g", margin, y, line);
            y += 14;
        }
        return y;
    }

    /// The caption of a level, a bar as long as its lines take, and its groups as wide as they have ranks.
    void tree_level(int level, double y) {
        const LevelCaption said = caption(drawing_, level);
        const std::size_t kind = drawing_.members.kinds[static_cast<std::size_t>(level)].front();
        text("b", margin, y + 11, said.groups);
        text(said.is_estimated ? "i" : "", margin, y + 24, said.line);
        if (said.ns > 0) {
            const double longest = caption(drawing_, 1).ns;
            box(fmt::format("q{}", kind), {margin, y + level_height - 6},
                {(caption_width - 20) * std::min(1.0, said.ns / longest), 4});
        }
        groups(level, kind, y);
    }

    static std::string numbers_of(RankRange ranks) {
        return ranks.count == 1 ? fmt::format("{}", ranks.first)
                                : fmt::format("{}-{}", ranks.first, ranks.first + ranks.count - 1);
    }

    void groups(int level, std::size_t kind, double y) {
        const LevelTree& tree = drawing_.members.tree;
        const double rank_width = (width_ - 2 * margin - caption_width) / static_cast<double>(tree.ranks());
        bool has_room = true;
        for (int number = 0; number < tree.groups(level); ++number) {
            const RankRange ranks = tree.group(level, number);
            const auto letters = static_cast<double>(numbers_of(ranks).size());
            has_room = has_room && 1.6 * letter_width * letters < rank_width * ranks.count;
        }
        for (int number = 0; number < tree.groups(level); ++number) {
            const RankRange ranks = tree.group(level, number);
            const double x = margin + caption_width + rank_width * ranks.first;
            const double width = rank_width * ranks.count;
            const double between = std::min(2.0, width / 3);
            box(fmt::format("p{}{}", kind, width < thin ? " thin" : ""), {x, y},
                {width - between, level_height - 2});
            if (has_room) {
                text("n", x + (width - between) / 2, y + level_height / 2 + 3, numbers_of(ranks));
            }
        }
    }

    /// A group of the machine's tree with all that is in it.
    void frame(int level, int number, Corner corner) {
        const CpuTree& whole = drawing_.whole;
        const std::vector<std::size_t>& kinds = whole.kinds[static_cast<std::size_t>(level)];
        if (level == whole.tree.last()) {
            cell(whole.pus[static_cast<std::size_t>(whole.tree.group(level, number).first)].os_index, corner);
            return;
        }
        if (!kinds.empty()) {
            box(fmt::format("f k{}", kinds.front()), corner, arrangement_.size(level));
            text("g", corner.x + gap, corner.y + label_height - 2,
                 Arrangement::label(drawing_, level, number));
        }
        const RankRange children = whole.tree.children(level, number);
        for (int child = 0; child < children.count; ++child) {
            frame(level + 1, children.first + child, arrangement_.child(level, corner, child));
        }
    }

    void cell(int cpu, Corner corner) {
        const auto found = rank_on_.find(cpu);
        const double middle = corner.x + cell_width / 2;
        const std::size_t kind = drawing_.whole.kinds.back().front();
        box(found == rank_on_.end() ? "free" : fmt::format("p{}", kind), corner, {cell_width, cell_height});
        if (found != rank_on_.end()) {
            text("r", middle, corner.y + 12, fmt::format("{}", found->second));
        }
        text("c", middle, corner.y + cell_height - 4, fmt::format("{}", cpu));
    }

    const MachineDrawing& drawing_;
    Arrangement arrangement_;
    double width_;
    std::map<int, std::size_t> rank_on_; ///< by CPU
    std::string body_;
};

} // namespace

std::string machine_svg(const MachineDrawing& drawing) {
    return MachineSvg(drawing).file();
}

} // namespace tutti::laboratory
