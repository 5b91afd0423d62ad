/// The sum of the ranks of some threads. Has no Tutti in its declaration.
double sum_of_ranks(int threads);
