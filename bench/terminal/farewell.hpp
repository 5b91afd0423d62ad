#pragma once

#include <deque>
#include <string>

namespace tutti::bench {

/// While there is one, SIGINT and SIGTERM print its words on stderr before they end the process. A signal
/// that is ignored stays ignored. Only one at a time.
class Farewell {
public:
    explicit Farewell(std::string words);
    ~Farewell();
    Farewell(const Farewell&) = delete;
    Farewell& operator=(const Farewell&) = delete;

    /// From now on prints these instead.
    void change(std::string words);

private:
    /// A handler may still read old ones, which do not move.
    std::deque<std::string> all_words_;
};

} // namespace tutti::bench
