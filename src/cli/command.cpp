#include "cli/command.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"

namespace hornbeam {
namespace {

const Command table[] = {
    {"train", "MODEL", "trains a model; writes a run folder",
     "  hornbeam train zoo:article-cnn --data cifar10 --transform \"Rescaling(scale=1/255)\"\n"
     "  hornbeam train model.keras --data train.npz --validation-split 0.2 --epochs 10\n"
     "  hornbeam train old.h5 --data mnist --optimizer \"SGD(learning_rate=0.1)\" --batch 256",
     run_train},
    {"evaluate", "MODEL", "loss and metrics on data",
     "  hornbeam evaluate runs/001-article-cnn/last.keras --data cifar10:test\n"
     "  hornbeam evaluate model.h5 --data test.npz --json\n"
     "  hornbeam evaluate model.keras --data mnist:test --limit 1000",
     run_evaluate},
    {"predict", "MODEL", "outputs of a model to .npy, .npz or .csv",
     "  hornbeam predict model.keras --data test.npz --out predictions.npy\n"
     "  hornbeam predict model.h5 --data pictures.npy --out predictions.csv\n"
     "  hornbeam predict model.json --weights weights.h5 --data mnist:test --out all.npz",
     run_predict},
    {"plan", "MODEL", "the memory of a training step, before any step is run",
     "  hornbeam plan zoo:article-cnn --batch 4096\n"
     "  hornbeam plan model.keras --batch 256 --replicas 8\n"
     "  hornbeam plan model.keras --batch 1024 --memory 4GiB --json",
     run_plan},
    {"sweep", several_models, "a table of epoch times over models, devices and batch sizes",
     "  hornbeam sweep zoo:article-mlp zoo:article-cnn --data cifar10 --reference article\n"
     "  hornbeam sweep model.keras --data train.npz --batch 64,256,1024 --plot sweep.svg\n"
     "  hornbeam sweep zoo:article-cnn --data made:cifar10 --samples 512 --batch 64 --epochs 2",
     run_sweep},
    {"inspect", "MODEL", "layers, shapes, parameters, compile state; what becomes of it",
     "  hornbeam inspect model.keras\n"
     "  hornbeam inspect zoo:article-cnn --kernels --batch 128\n"
     "  hornbeam inspect model.h5 --graph",
     run_inspect},
    {"zoo", "[NAME]", "lists the built-in models, or writes one to a file",
     "  hornbeam zoo\n"
     "  hornbeam zoo article-cnn --out article-cnn.keras\n"
     "  hornbeam zoo lenet --out lenet.json",
     run_zoo},
    {"doctor", "", "the machine and the program: cores, instruction sets, memory, speed",
     "  hornbeam doctor\n  hornbeam doctor --json", run_doctor},
    {"explain", "CODE", "the long text of an error code",
     "  hornbeam explain H204\n  hornbeam explain", run_explain},
};

}  // namespace

std::span<const Command> commands() { return table; }

const Command& find_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : table) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw Error("H301", {.message = fmt::format("there is no command '{}'", name),
                       .help = did_you_mean(name, names, "hornbeam --help lists the commands")});
}

}  // namespace hornbeam
