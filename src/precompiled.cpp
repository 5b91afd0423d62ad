// Nothing: headers are precompiled for other targets (tutti_announce and tutti_precompile).
