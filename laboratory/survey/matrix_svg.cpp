#include "survey/matrix_svg.hpp"

#include "survey/distances.hpp"
#include "terminal/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tutti::laboratory {

namespace {

using distance::Class;
using distance::FoundLevel;
using machine::Pu;

// All lengths in pixels.
constexpr double margin = 46;
constexpr double header = 46;
constexpr double footer = 66;
constexpr std::size_t few_cpus = 24;

/// From light to dark, by the logarithm: caches are as far apart as sockets then.
class Scale {
public:
    Scale(double least, double most) : least_(least), most_(std::max(most, 1.01 * least)) {}

    double shade(double ns) const {
        return std::clamp(std::log(ns / least_) / std::log(most_ / least_), 0.0, 1.0);
    }

    static std::string colour(double shade) {
        const auto between = [&](double light, double dark) {
            return static_cast<int>(std::lround(light + shade * (dark - light)));
        };
        return fmt::format("#{:02x}{:02x}{:02x}", between(247, 8), between(251, 48), between(255, 107));
    }

    double least_ns() const { return least_; }
    double most_ns() const { return most_; }

private:
    double least_;
    double most_;
};

class Drawing {
public:
    Drawing(std::span<const Pu> pus, const distance::Matrix& one_way_ns)
        : pus_(pus), matrix_(one_way_ns), cell_(pus.size() <= few_cpus ? 26 : 12),
          scale_(scale_of(one_way_ns)) {}

    std::string file(const std::string& title, const std::vector<FoundLevel>& found) {
        for (std::size_t row = 0; row < pus_.size(); ++row) {
            label(row);
            for (std::size_t column = 0; column < pus_.size(); ++column) {
                if (row != column) {
                    cell(row, column);
                }
            }
        }
        for (const Class each : distance::all_classes) {
            borders(groups_within(pus_, each), 0.5 + 0.7 * static_cast<double>(each));
        }
        for (const FoundLevel& level : found) {
            frames(level);
        }
        legend();
        const double side = cell_ * static_cast<double>(pus_.size());
        const double width = std::max(2 * margin + side, 440.0);
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "font-family=\"sans-serif\" font-size=\"9\">\n"
            "<style>.t{{font-size:13px}}.n{{text-anchor:middle}}.w{{text-anchor:middle;fill:#fff}}.b{{stroke:"
            "#222;fill:none}}.f{{stroke:#d7301f;fill:none;stroke-width:1.5;stroke-dasharray:4 "
            "3}}</style>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n"
            "<text class=\"t\" x=\"{2:.0f}\" y=\"18\">{3}</text>\n{4}</svg>\n",
            width, header + side + footer, margin, bench::xml_text(title), body_);
    }

private:
    static Scale scale_of(const distance::Matrix& matrix) {
        double least = matrix.ns(0, 1);
        double most = least;
        for (std::size_t one = 0; one < matrix.cpus(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                least = std::min(least, matrix.ns(one, other));
                most = std::max(most, matrix.ns(one, other));
            }
        }
        return {std::max(least, 0.1), most};
    }

    double x(std::size_t column) const { return margin + cell_ * static_cast<double>(column); }
    double y(std::size_t row) const { return header + cell_ * static_cast<double>(row); }

    void label(std::size_t at) {
        body_ += fmt::format("<text text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", margin - 4,
                             y(at) + cell_ / 2 + 3, pus_[at].os_index);
        if (pus_.size() <= few_cpus) {
            body_ += fmt::format("<text class=\"n\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x(at) + cell_ / 2,
                                 header - 5, pus_[at].os_index);
        }
    }

    void cell(std::size_t row, std::size_t column) {
        const double shade = scale_.shade(matrix_.ns(row, column));
        body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                             x(column), y(row), cell_, cell_, Scale::colour(shade));
        if (pus_.size() <= few_cpus) {
            body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{:.0f}</text>\n",
                                 shade > 0.5 ? "w" : "n", x(column) + cell_ / 2, y(row) + cell_ / 2 + 3,
                                 matrix_.ns(row, column));
        }
    }

    /// Lines all over the drawing, where one CPU and the next are in different groups.
    void borders(const distance::Groups& groups, double width) {
        if (distance::count(groups) == groups.size()) {
            return;
        }
        for (std::size_t at = 1; at < groups.size(); ++at) {
            if (groups[at] != groups[at - 1]) {
                body_ += fmt::format("<path class=\"b\" stroke-width=\"{:.1f}\" d=\"M{:.1f} "
                                     "{:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}\"/>\n",
                                     width, x(at), header, y(groups.size()), margin, y(at), x(groups.size()));
            }
        }
    }

    /// A frame around CPUs of a group that follow each other.
    void frames(const FoundLevel& level) {
        std::size_t first = 0;
        for (std::size_t at = 1; at <= level.groups.size(); ++at) {
            if (at == level.groups.size() || level.groups[at] != level.groups[first]) {
                if (at - first > 1) {
                    const double side = cell_ * static_cast<double>(at - first);
                    body_ += fmt::format(
                        "<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                        x(first), y(first), side, side);
                }
                first = at;
            }
        }
    }

    void legend() {
        const double top = y(pus_.size()) + 14;
        constexpr int steps = 16;
        constexpr double width = 10;
        for (int step = 0; step < steps; ++step) {
            body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"10\" fill=\"{}\"/>\n",
                                 margin + 40 + width * step, top, width,
                                 Scale::colour(static_cast<double>(step) / (steps - 1)));
        }
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.0f} ns</text>\n", margin, top + 9,
                             scale_.least_ns());
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.0f} ns one way</text>\n",
                             margin + 46 + width * steps, top + 9, scale_.most_ns());
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">black lines: what hwloc says, from cores to "
                             "sockets; red frames: what the times show</text>\n",
                             margin, top + 28);
    }

    std::span<const Pu> pus_;
    const distance::Matrix& matrix_;
    double cell_;
    Scale scale_;
    std::string body_;
};

} // namespace

std::string matrix_svg(const std::string& title, std::span<const Pu> pus, const distance::Matrix& one_way_ns,
                       const std::vector<FoundLevel>& found) {
    return Drawing(pus, one_way_ns).file(title, found);
}

} // namespace tutti::laboratory
