#ifndef COLLECTIVES_H
#define COLLECTIVES_H

class Ranks {
public:
    explicit Ranks(int threads);
    ~Ranks();
    /// The sum of the values of all threads, each of which calls it once.
    double sum(int rank, double value);

private:
    Ranks(const Ranks&);
    struct State;
    State* state_;
};

#endif
