#include "draw/drawings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace tutti::draw {

std::string text(const schedule::Schedule& schedule, std::string_view algorithm) {
    std::string lines = title(schedule, algorithm) + "\n";
    for (const Panel& panel : panels(schedule)) {
        for (const Message& message : panel.messages) {
            lines += heading(panel) + ": " + std::to_string(message.from) + " -> " +
                     std::to_string(message.to) + ": blocks " + blocks_text(message, schedule.blocks()) +
                     (message.combined ? ", combined" : "") + "\n";
        }
    }
    return lines;
}

using schedule::Schedule;

namespace {

using Panels = std::vector<Panel>;

// All lengths in pixels.
constexpr double member_radius = 9;
constexpr double row_height = 26;
constexpr double margin = 30;
constexpr double header = 62;
constexpr double letter_width = 5.5;
constexpr double hop_width = 120;

struct Point {
    double x = 0;
    double y = 0;
};

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

std::string attribute(const char* name, double value) {
    return std::string(" ") + name + "=\"" + number(value) + "\"";
}

/// Elements are collected in the order in which they are painted.
class Canvas {
public:
    void member(Point at, int rank) {
        body_ += "<circle class=\"m\"" + attribute("cx", at.x) + attribute("cy", at.y) +
                 attribute("r", member_radius) + "/>\n";
        text({at.x, at.y + 3}, "n", std::to_string(rank));
    }

    void text(Point at, const char* kind, const std::string& words) {
        if (words.empty()) {
            return;
        }
        body_ += std::string("<text class=\"") + kind + "\"" + attribute("x", at.x) + attribute("y", at.y) +
                 ">" + words + "</text>\n";
    }

    /// From rim to rim of the members at both ends. `faint` arrows stay behind.
    void arrow(Point from, Point to, bool combined, bool faint) {
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        const Point rim{(to.x - from.x) / length * member_radius, (to.y - from.y) / length * member_radius};
        const char* kind = combined ? "c" : "s";
        body_ += std::string("<line class=\"") + kind + (faint ? " f" : "") + "\"" +
                 attribute("x1", from.x + rim.x) + attribute("y1", from.y + rim.y) +
                 attribute("x2", to.x - rim.x) + attribute("y2", to.y - rim.y) + " marker-end=\"url(#" +
                 kind + ")\"/>\n";
    }

    std::string file(double width, double height) const {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
               attribute("height", height) + " font-family=\"sans-serif\" font-size=\"10\">\n" + style +
               body_ + "</svg>\n";
    }

private:
    static constexpr const char* style =
        "<style>.m{fill:#fff;stroke:#333}.n{text-anchor:middle;font-size:9px}.t{font-size:14px}.h{text-"
        "anchor:middle;fill:#333}.l{fill:#333;font-size:9px}.b{text-anchor:middle;fill:#333;font-size:9px;"
        "paint-order:stroke;stroke:#fff;stroke-width:3px}.a{text-anchor:start}.e{text-anchor:end}.c{stroke:#"
        "b2182b}.s{stroke:#2166ac}.f{opacity:.25}</style>\n"
        "<defs><marker id=\"c\" markerWidth=\"8\" markerHeight=\"6\" refX=\"7\" refY=\"3\" "
        "orient=\"auto\"><path d=\"M0,0L8,3L0,6z\" fill=\"#b2182b\"/></marker><marker id=\"s\" "
        "markerWidth=\"8\" markerHeight=\"6\" refX=\"7\" refY=\"3\" orient=\"auto\"><path "
        "d=\"M0,0L8,3L0,6z\" fill=\"#2166ac\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

    std::string body_;
};

std::string full_title(const Schedule& schedule, std::string_view algorithm) {
    return title(schedule, algorithm) + ", vectors of " + std::to_string(schedule.blocks()) +
           (schedule.blocks() == 1 ? " block" : " blocks") + "; red: combined, blue: stored";
}

double title_width(const std::string& title) {
    return 2 * margin + 1.3 * letter_width * static_cast<double>(title.size());
}

/// The labels of each member's receipts in a panel: one message by its blocks, several also by their senders,
/// and many only by their number and the blocks of all together.
std::vector<std::string> labels(const Schedule& schedule, const std::vector<Message>& list) {
    constexpr int most_named = 3;
    std::vector<std::string> texts(static_cast<std::size_t>(schedule.ranks()));
    std::vector<int> counts(texts.size(), 0);
    std::vector<Message> together(texts.size());
    for (const Message& message : list) {
        const auto to = static_cast<std::size_t>(message.to);
        ++counts[to];
        together[to].blocks.insert(together[to].blocks.end(), message.blocks.begin(), message.blocks.end());
    }
    for (const Message& message : list) {
        const int count = counts[static_cast<std::size_t>(message.to)];
        std::string& text = texts[static_cast<std::size_t>(message.to)];
        const std::string blocks = blocks_text(message, schedule.blocks());
        if (count > most_named) {
            text = "from " + std::to_string(count) + ": " +
                   blocks_text(together[static_cast<std::size_t>(message.to)], schedule.blocks());
        } else if (count == 1) {
            text = blocks;
        } else {
            text += (text.empty() ? "" : "; ") + std::to_string(message.from) + ": " + blocks;
        }
    }
    return texts;
}

double label_width(const std::vector<std::string>& texts) {
    std::size_t longest = 0;
    for (const std::string& text : texts) {
        longest = std::max(longest, text.size());
    }
    return letter_width * static_cast<double>(longest) + 2 * member_radius + 16;
}

std::string rows_svg(const Schedule& schedule, const std::string& title, const Panels& drawn) {
    Canvas canvas;
    canvas.text({margin, 24}, "t", title);
    const auto at = [](double x, int rank) { return Point{x, header + row_height * rank + member_radius}; };
    double x = margin + member_radius;
    for (const Panel& panel : drawn) {
        canvas.text({x + hop_width / 2, header - 16}, "h", heading(panel));
        for (const Message& message : panel.messages) {
            canvas.arrow(at(x, message.from), at(x + hop_width, message.to), message.combined, false);
        }
        const auto texts = labels(schedule, panel.messages);
        for (int rank = 0; rank < schedule.ranks(); ++rank) {
            canvas.member(at(x, rank), rank);
            canvas.member(at(x + hop_width, rank), rank);
            const Point after = at(x + hop_width + member_radius + 4, rank);
            canvas.text({after.x, after.y + 3}, "l", texts[static_cast<std::size_t>(rank)]);
        }
        x += hop_width + label_width(texts);
    }
    return canvas.file(std::max(x + margin, title_width(title)),
                       header + row_height * schedule.ranks() + margin);
}

/// The members around a circle, member 0 at the top.
class Ring {
public:
    Ring(int ranks, double left)
        : ranks_(ranks), radius_(std::max(80.0, 3.2 * member_radius * ranks / (2 * std::numbers::pi))),
          centre_{left + radius_ + margin, header + radius_ + margin} {}

    double width() const { return 2 * (radius_ + margin); }
    double height() const { return header + width(); }
    Point heading() const { return {centre_.x, header - 4}; }

    Point at(int rank) const { return at(rank, radius_); }

    /// Words outside the circle, beside a member.
    void label(Canvas& canvas, int rank, const std::string& words) const {
        const Point place = at(rank, radius_ + 1.8 * member_radius);
        const double right = place.x - centre_.x;
        const char* const kind = std::abs(right) < member_radius ? "b" : right > 0 ? "b a" : "b e";
        canvas.text({place.x, place.y + 3}, kind, words);
    }

    void draw_members(Canvas& canvas) const {
        for (int rank = 0; rank < ranks_; ++rank) {
            canvas.member(at(rank), rank);
        }
    }

private:
    Point at(int rank, double radius) const {
        const double angle = 2 * std::numbers::pi * rank / ranks_;
        return {centre_.x + radius * std::sin(angle), centre_.y - radius * std::cos(angle)};
    }

    int ranks_;
    double radius_;
    Point centre_;
};

std::string circle_svg(const Schedule& schedule, const std::string& title, const Panels& drawn) {
    Canvas canvas;
    canvas.text({margin, 24}, "t", title);
    double x = 0;
    double height = header;
    for (const Panel& panel : drawn) {
        const auto texts = labels(schedule, panel.messages);
        const double room = label_width(texts) - 2 * member_radius;
        const Ring ring(schedule.ranks(), x + room);
        canvas.text(ring.heading(), "h", heading(panel));
        for (const Message& message : panel.messages) {
            canvas.arrow(ring.at(message.from), ring.at(message.to), message.combined, false);
        }
        ring.draw_members(canvas);
        for (int rank = 0; rank < schedule.ranks(); ++rank) {
            ring.label(canvas, rank, texts[static_cast<std::size_t>(rank)]);
        }
        x += ring.width() + 2 * room;
        height = ring.height();
    }
    return canvas.file(std::max(x, title_width(title)), height + margin);
}

std::string graph_svg(const Schedule& schedule, const std::string& title, const Panels& drawn) {
    Canvas canvas;
    canvas.text({margin, 24}, "t", title);
    const Ring ring(schedule.ranks(), margin);
    for (const bool of_member_0 : {false, true}) {
        for (const Panel& panel : drawn) {
            for (const Message& message : panel.messages) {
                const bool touches = message.from == 0 || message.to == 0;
                if (touches != of_member_0) {
                    continue;
                }
                const Point from = ring.at(message.from);
                const Point to = ring.at(message.to);
                canvas.arrow(from, to, message.combined, !touches);
                if (message.to == 0) {
                    constexpr double along = 0.35;
                    canvas.text({from.x + (to.x - from.x) * along, from.y + (to.y - from.y) * along}, "b",
                                std::to_string(panel.round));
                }
            }
        }
    }
    ring.draw_members(canvas);
    return canvas.file(std::max(ring.width() + 2 * margin, title_width(title)), ring.height() + margin);
}

} // namespace

std::string svg(const Schedule& schedule, std::string_view algorithm, Layout layout) {
    const Panels drawn = panels(schedule);
    const std::string title = full_title(schedule, algorithm);
    switch (layout) {
    case Layout::rows:
        return rows_svg(schedule, title, drawn);
    case Layout::circle:
        return circle_svg(schedule, title, drawn);
    case Layout::graph:
        break;
    }
    return graph_svg(schedule, title, drawn);
}

} // namespace tutti::draw
