// The run functions of the commands; each is in the file of its name.
#pragma once

#include "cli/options.h"

namespace hornbeam {

int run_train(const Options& options);
int run_evaluate(const Options& options);
int run_predict(const Options& options);
int run_plan(const Options& options);
int run_sweep(const Options& options);
int run_inspect(const Options& options);
int run_zoo(const Options& options);
int run_doctor(const Options& options);
int run_explain(const Options& options);

}  // namespace hornbeam
