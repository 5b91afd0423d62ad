// Empty: the headers are precompiled for other targets (tutti_precompile).
