[[gnu::tls_model("initial-exec")]] thread_local char filling[16];

extern "C" char* place_of_filling() {
    return filling;
}
