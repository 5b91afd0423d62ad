/* A C program outside the tree that makes a cluster of one member in one process. */
#include <tutti/tutti_mpi.h>

#include <stdio.h>

int main(int argc, char** argv) {
    tutti_group* group = NULL;
    tutti_cluster* cluster = NULL;
    tutti_member me;
    int sum = 7;
    MPI_Init(&argc, &argv);
    if (tutti_group_create(1, NULL, &group) != TUTTI_OK ||
        tutti_cluster_create(group, MPI_COMM_WORLD, NULL, &cluster) != TUTTI_OK ||
        tutti_cluster_join(cluster, 0, &me) != TUTTI_OK ||
        tutti_allreduce(me, TUTTI_IN_PLACE, &sum, 1, TUTTI_INT, TUTTI_SUM) != TUTTI_OK) {
        printf("%s\n", tutti_error_text());
        return 1;
    }
    tutti_leave(me);
    tutti_cluster_free(cluster);
    tutti_group_free(group);
    MPI_Finalize();
    printf("tutti %d from C, over MPI: %d\n", tutti_version(), sum);
    return sum != 7;
}
