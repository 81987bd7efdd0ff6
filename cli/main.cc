#include "cli/run.h"

int main(int argc, char** argv) { return berth::cli::Run(argc, argv); }
