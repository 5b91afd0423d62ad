#pragma once

#include <tutti/tutti.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

/// One call of one member: its vectors, what it leaves, and how it is made.
template <class T>
struct Case {
    std::string name;
    /// Empty where the call is in place.
    std::vector<T> in;
    std::vector<T> out;
    std::vector<T> expected;
    bool in_place = false;
    std::function<tutti_status(tutti_caller, const void*, void*)> call;

    const void* input() const { return in_place ? TUTTI_IN_PLACE : in.data(); }
};

/// Elements of a type, and how they are combined.
template <class T>
struct Elements {
    tutti_type type = 0;
    tutti_op op = 0;
    std::function<T(std::size_t rank, std::size_t i)> make;
    std::function<T(const T&, const T&)> combine;
};

/// What every member calls, in this order, and what that leaves: written down from what the collectives
/// promise, with loops over the ranks.
template <class T>
class Cases {
public:
    Cases(const Elements<T>& elements, int rank, int size, std::size_t n)
        : elements_(elements), r_(static_cast<std::size_t>(rank)), p_(static_cast<std::size_t>(size)), n_(n),
          root_(size / 2), is_root_(rank == root_) {
        for (std::size_t i = 0; i < p_; ++i) {
            counts_.push_back((i * 3 + n_) % 4 + (i == 1 ? 0 : n_));
        }
        std::size_t place = 1;
        displacements_.resize(p_);
        for (std::size_t i = p_; i-- > 0;) { // from the last to the first, with gaps
            displacements_[i] = place;
            place += counts_[i] + 2;
        }
        all_.reserve(64);
        make();
    }

    std::vector<Case<T>> take() { return std::move(all_); }

private:
    using Vector = std::vector<T>;

    Vector vector(std::size_t rank, std::size_t count, std::size_t first = 0) const {
        Vector made;
        for (std::size_t i = 0; i < count; ++i) {
            made.push_back(elements_.make(rank, first + i));
        }
        return made;
    }
    Vector blank(std::size_t count) const { return Vector(count, elements_.make(99, 99)); }

    /// in_0 op ... op in_last.
    Vector reduced(std::size_t last, std::size_t count) const {
        Vector result = vector(0, count);
        for (std::size_t rank = 1; rank <= last; ++rank) {
            for (std::size_t i = 0; i < count; ++i) {
                result[i] = elements_.combine(result[i], elements_.make(rank, i));
            }
        }
        return result;
    }

    static void put(Vector& to, std::size_t at, const Vector& what) {
        std::copy(what.begin(), what.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
    }
    static Vector part(const Vector& of, std::size_t first, std::size_t count) {
        const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }

    std::size_t offset(std::size_t rank) const {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            sum += counts_[i];
        }
        return sum;
    }
    std::size_t place(std::size_t rank, bool displaced) const {
        return displaced ? displacements_[rank] : offset(rank);
    }
    std::size_t whole(bool displaced) const {
        return displaced ? displacements_[0] + counts_[0] + 1 : offset(p_);
    }

    template <class Call>
    void add(const std::string& name, Vector in, Vector out, Vector expected, Call call) {
        all_.push_back({name, std::move(in), std::move(out), std::move(expected), false, call});
    }
    template <class Call>
    void add_in_place(const std::string& name, Vector inout, Vector expected, Call call) {
        all_.push_back({name + " in place", {}, std::move(inout), std::move(expected), true, call});
    }

    void make() {
        all_.push_back({"barrier", {}, {}, {}, false, [](tutti_caller me, const void*, void*) {
                            return tutti_barrier(me);
                        }});
        reductions();
        prefixes();
        gathers();
        scatters();
        exchanges();
        irregular_scatters();
        for (const bool displaced : {false, true}) {
            irregular_allgather(displaced);
            for (const bool on_all : {false, true}) {
                irregular_gather(displaced, on_all);
                irregular_scatter(displaced, on_all);
            }
            irregular_alltoall(displaced);
        }
    }

    void reductions() {
        const auto type = elements_.type;
        const auto op = elements_.op;
        const auto root = root_;
        const auto n = n_;
        const Vector mine = vector(r_, n);
        const Vector result = reduced(p_ - 1, n);
        const auto broadcast = [=](tutti_caller me, const void*, void* inout) {
            return tutti_broadcast(me, inout, n, type, root);
        };
        add_in_place("broadcast", is_root_ ? mine : blank(n), vector(static_cast<std::size_t>(root), n),
                     broadcast);
        const auto reduce = [=](tutti_caller me, const void* in, void* out) {
            return tutti_reduce(me, in, out, n, type, op, root);
        };
        add("reduce", mine, blank(n), is_root_ ? result : blank(n), reduce);
        add_in_place("reduce", mine, is_root_ ? result : mine, reduce);
        const auto allreduce = [=](tutti_caller me, const void* in, void* out) {
            return tutti_allreduce(me, in, out, n, type, op);
        };
        add("allreduce", mine, blank(n), result, allreduce);
        add_in_place("allreduce", mine, result, allreduce);
        const auto reduce_scatter = [=](tutti_caller me, const void* in, void* block) {
            return tutti_reduce_scatter(me, in, block, n, type, op);
        };
        const Vector all = vector(r_, p_ * n);
        const Vector block = part(reduced(p_ - 1, p_ * n), r_ * n, n);
        add("reduce_scatter", all, blank(n), block, reduce_scatter);
        Vector replaced = all;
        put(replaced, r_ * n, block);
        add_in_place("reduce_scatter", all, replaced, reduce_scatter);
    }

    void prefixes() {
        const auto type = elements_.type;
        const auto op = elements_.op;
        const auto n = n_;
        const Vector mine = vector(r_, n);
        const auto scan = [=](tutti_caller me, const void* in, void* out) {
            return tutti_scan(me, in, out, n, type, op);
        };
        add("scan", mine, blank(n), reduced(r_, n), scan);
        add_in_place("scan", mine, reduced(r_, n), scan);
        const auto exscan = [=](tutti_caller me, const void* in, void* out) {
            return tutti_exscan(me, in, out, n, type, op);
        };
        add("exscan", mine, blank(n), r_ == 0 ? blank(n) : reduced(r_ - 1, n), exscan);
        add_in_place("exscan", mine, r_ == 0 ? mine : reduced(r_ - 1, n), exscan);
        for (const int distance : {1, -2, 20}) {
            const auto shift = [=](tutti_caller me, const void* in, void* out) {
                return tutti_shift(me, in, out, n, type, distance);
            };
            const auto back = static_cast<std::size_t>(distance + 100 * static_cast<int>(p_)) % p_;
            const Vector received = vector((r_ + p_ - back) % p_, n);
            add("shift", mine, blank(n), received, shift);
            add_in_place("shift", mine, received, shift);
        }
    }

    void gathers() {
        const auto type = elements_.type;
        const auto root = root_;
        const auto n = n_;
        const Vector mine = vector(r_, n);
        Vector all;
        for (std::size_t rank = 0; rank < p_; ++rank) {
            const Vector block = vector(rank, n);
            all.insert(all.end(), block.begin(), block.end());
        }
        Vector own = blank(p_ * n);
        put(own, r_ * n, mine);
        const auto allgather = [=](tutti_caller me, const void* block, void* out) {
            return tutti_allgather(me, block, out, n, type);
        };
        add("allgather", mine, blank(p_ * n), all, allgather);
        add_in_place("allgather", own, all, allgather);
        const auto gather = [=](tutti_caller me, const void* block, void* out) {
            return tutti_gather(me, block, out, n, type, root);
        };
        add("gather", mine, is_root_ ? blank(p_ * n) : Vector(), is_root_ ? all : Vector(), gather);
        add_in_place("gather", is_root_ ? own : mine, is_root_ ? all : mine, gather);
    }

    void scatters() {
        const auto type = elements_.type;
        const auto root = root_;
        const auto n = n_;
        const Vector all = vector(static_cast<std::size_t>(root), p_ * n);
        const Vector block = part(all, r_ * n, n);
        const auto scatter = [=](tutti_caller me, const void* in, void* out) {
            return tutti_scatter(me, in, out, n, type, root);
        };
        add("scatter", is_root_ ? all : Vector(), blank(n), block, scatter);
        add_in_place("scatter", is_root_ ? all : blank(n), is_root_ ? all : block, scatter);
    }

    void exchanges() {
        const auto type = elements_.type;
        const auto n = n_;
        const auto alltoall = [=](tutti_caller me, const void* in, void* out) {
            return tutti_alltoall(me, in, out, n, type);
        };
        Vector received;
        for (std::size_t rank = 0; rank < p_; ++rank) {
            const Vector block = vector(rank, n, r_ * n);
            received.insert(received.end(), block.begin(), block.end());
        }
        add("alltoall", vector(r_, p_ * n), blank(p_ * n), received, alltoall);
        add_in_place("alltoall", vector(r_, p_ * n), received, alltoall);
    }

    void irregular_scatters() {
        const auto call = [type = elements_.type, op = elements_.op,
                           counts = counts_](tutti_caller me, const void* in, void* block) {
            return tutti_reduce_scatterv(me, in, block, counts.data(), type, op);
        };
        const Vector all = vector(r_, offset(p_));
        const Vector block = part(reduced(p_ - 1, offset(p_)), offset(r_), counts_[r_]);
        add("reduce_scatterv", all, blank(counts_[r_]), block, call);
        Vector replaced = all;
        put(replaced, offset(r_), block);
        add_in_place("reduce_scatterv", all, replaced, call);
    }

    static std::string named(const std::string& name, bool displaced, bool on_all = false) {
        return name + (displaced ? " with displacements" : "") + (on_all ? ", counts on all" : "");
    }
    static tutti_caller counting(tutti_caller me, bool on_all) {
        return on_all ? tutti_counts_on_all(me) : me;
    }
    const std::size_t* if_displaced(bool displaced) const {
        return displaced ? displacements_.data() : nullptr;
    }

    Vector gathered(bool displaced) const {
        Vector all = blank(whole(displaced));
        for (std::size_t rank = 0; rank < p_; ++rank) {
            put(all, place(rank, displaced), vector(rank, counts_[rank]));
        }
        return all;
    }
    /// The same before, in place.
    Vector own_of_gathered(bool displaced) const {
        Vector own = blank(whole(displaced));
        put(own, place(r_, displaced), vector(r_, counts_[r_]));
        return own;
    }

    void irregular_allgather(bool displaced) {
        const auto call = [type = elements_.type, counts = counts_, places = displacements_, r = r_,
                           displaced](tutti_caller me, const void* block, void* out) {
            return tutti_allgatherv(me, block, counts[r], out, counts.data(),
                                    displaced ? places.data() : nullptr, type);
        };
        const std::string name = named("allgatherv", displaced);
        add(name, vector(r_, counts_[r_]), blank(whole(displaced)), gathered(displaced), call);
        add_in_place(name, own_of_gathered(displaced), gathered(displaced), call);
    }

    void irregular_gather(bool displaced, bool on_all) {
        const bool gives = is_root_ || on_all;
        const auto call = [type = elements_.type, counts = counts_, places = displacements_, r = r_,
                           root = root_, displaced, on_all,
                           gives](tutti_caller me, const void* block, void* out) {
            return tutti_gatherv(counting(me, on_all), block, counts[r], out, gives ? counts.data() : nullptr,
                                 displaced && gives ? places.data() : nullptr, type, root);
        };
        const std::string name = named("gatherv", displaced, on_all);
        const Vector mine = vector(r_, counts_[r_]);
        const Vector result = is_root_ ? gathered(displaced) : Vector();
        add(name, mine, is_root_ ? blank(whole(displaced)) : Vector(), result, call);
        add_in_place(name, is_root_ ? own_of_gathered(displaced) : mine, is_root_ ? result : mine, call);
    }

    void irregular_scatter(bool displaced, bool on_all) {
        const bool gives = is_root_ || on_all;
        const auto call = [type = elements_.type, counts = counts_, places = displacements_, r = r_,
                           root = root_, displaced, on_all,
                           gives](tutti_caller me, const void* in, void* block) {
            return tutti_scatterv(counting(me, on_all), in, gives ? counts.data() : nullptr,
                                  displaced && gives ? places.data() : nullptr, block, counts[r], type, root);
        };
        const std::string name = named("scatterv", displaced, on_all);
        const Vector all = vector(static_cast<std::size_t>(root_), whole(displaced));
        const Vector block = part(all, place(r_, displaced), counts_[r_]);
        add(name, is_root_ ? all : Vector(), blank(counts_[r_]), block, call);
        add_in_place(name, is_root_ ? all : blank(counts_[r_]), is_root_ ? all : block, call);
    }

    /// Elements that member `from` sends to `to`.
    std::size_t sent(std::size_t from, std::size_t to) const {
        return (from + 2 * to + n_) % 4 + from * n_ / 2;
    }
    std::size_t exchanged(std::size_t one, std::size_t other) const { return (one * other + n_) % 3 + n_; }

    /// Where blocks of these lengths lie: back to back, or backwards with gaps.
    static std::vector<std::size_t> laid_out(const std::vector<std::size_t>& counts, bool displaced) {
        std::vector<std::size_t> places(counts.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const std::size_t block = displaced ? counts.size() - 1 - i : i;
            places[block] = next;
            next += counts[block] + (displaced ? 1 : 0);
        }
        return places;
    }
    static std::size_t reach(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& places) {
        std::size_t end = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            end = std::max(end, places[i] + counts[i]);
        }
        return end;
    }

    /// What a member receives, into `out`. length(from, to) is what `from` sends to `to`.
    template <class Length>
    Vector received(Vector out, const std::vector<std::size_t>& places, bool displaced, Length length) const {
        for (std::size_t from = 0; from < p_; ++from) {
            std::vector<std::size_t> lengths;
            for (std::size_t to = 0; to < p_; ++to) {
                lengths.push_back(length(from, to));
            }
            put(out, places[from], vector(from, lengths[r_], laid_out(lengths, displaced)[r_]));
        }
        return out;
    }

    void irregular_alltoall(bool displaced) {
        std::vector<std::size_t> sends, receives, exchanges;
        for (std::size_t i = 0; i < p_; ++i) {
            sends.push_back(sent(r_, i));
            receives.push_back(sent(i, r_));
            exchanges.push_back(exchanged(r_, i));
        }
        const auto send_places = laid_out(sends, displaced);
        const auto receive_places = laid_out(receives, displaced);
        const auto call = [=, type = elements_.type](tutti_caller me, const void* in, void* to) {
            return tutti_alltoallv(me, in, sends.data(), displaced ? send_places.data() : nullptr, to,
                                   receives.data(), displaced ? receive_places.data() : nullptr, type);
        };
        const Vector out = blank(reach(receives, receive_places));
        add(named("alltoallv", displaced), vector(r_, reach(sends, send_places)), out,
            received(out, receive_places, displaced, [&](auto from, auto to) { return sent(from, to); }),
            call);
        const auto places = laid_out(exchanges, displaced);
        const auto in_place = [=, type = elements_.type](tutti_caller me, const void* in, void* inout) {
            return tutti_alltoallv(me, in, nullptr, nullptr, inout, exchanges.data(),
                                   displaced ? places.data() : nullptr, type);
        };
        const Vector before = vector(r_, reach(exchanges, places));
        add_in_place(
            named("alltoallv", displaced), before,
            received(before, places, displaced, [&](auto from, auto to) { return exchanged(from, to); }),
            in_place);
    }

    const Elements<T>& elements_;
    std::size_t r_;
    std::size_t p_;
    std::size_t n_;
    int root_;
    bool is_root_;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> displacements_;
    std::vector<Case<T>> all_;
};

} // namespace tutti::test
