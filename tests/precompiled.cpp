// Nothing. A program without tests, since its headers are precompiled for programs (tutti_precompile).
