// Every error code of the program: its exit code, a title and the long text of `hornbeam explain`.
//
// This table is the one place. `Error("H204", …)` is checked against it at compile time.
// H1xx model files, H2xx data, H3xx use of the program, H4xx memory, H5xx numbers, H6xx workers,
// H7xx graphs and types, H9xx faults of our own.
#pragma once

#include <string_view>

namespace hornbeam {

enum class Exit : int {
  done = 0,
  internal = 1,
  usage = 2,
  input = 3,
  does_not_fit = 4,
  not_finite = 5,
  worker = 6,
  interrupted = 130,
};

struct ErrorCode {
  std::string_view name;
  Exit exit;
  std::string_view title;
  std::string_view explanation;
};

inline constexpr ErrorCode error_codes[] = {
    // --- model files ---
    {"H101", Exit::input, "the model file cannot be read",
     "The file is missing, is not a Keras model, or is damaged. Hornbeam reads .keras archives "
     "(Keras 3 and late Keras 2), legacy .h5 or .hdf5 files (Keras 1 and 2) and .json "
     "architectures."},
    {"H102", Exit::input, "the HDF5 file is damaged or uses a feature Keras does not write",
     "Weights live in HDF5 files. Hornbeam reads the part of the format that Keras writes, with "
     "every offset checked against the size of the file; anything else is refused. Copy the file "
     "again, or load and save it once with Keras."},
    {"H103", Exit::input, "the zip archive is damaged",
     "A .keras or .npz file is a zip archive. An entry is missing, its checksum does not match, "
     "or it claims an impossible size."},
    {"H104", Exit::input, "the JSON text is damaged",
     "A .json architecture, the config.json inside of a .keras archive, a configuration in a .h5 "
     "file or a value such as that of --class-weight is not valid JSON, or is of another kind than "
     "is needed there (a number where a list belongs). The message says at which character, or "
     "what was expected. Names stand in double quotes, and nothing follows the last entry of a "
     "list."},
    {"H110", Exit::input, "unknown layer",
     "The model uses a layer class that this version does not have. The place names the layer. "
     "Lambda layers and custom classes hold Python code, which is never run."},
    {"H111", Exit::input, "unknown or unusable setting in a configuration",
     "A key or value in the configuration of a layer, optimizer, loss or metric is unknown, or is "
     "known and not supported. Nothing is ignored silently."},
    {"H112", Exit::input, "the weights do not fit the model",
     "A weight is missing or its shape differs from what the layer needs."},
    {"H113", Exit::input, "the graph of layers is broken",
     "A layer refers to a layer or output that does not exist, or the layers form a circle."},
    {"H114", Exit::input, "layer shapes do not fit together",
     "The input of a layer has a shape that the layer cannot take."},
    {"H115", Exit::input, "unknown name of a Keras object",
     "No activation, initializer, regularizer, optimizer, loss or metric has this name here."},
    {"H120", Exit::input, "the file cannot be written",
     "The disk is full, the folder does not exist or may not be written to. The old file, if there "
     "was one, is untouched: files are written aside and renamed."},
    // --- data ---
    {"H201", Exit::input, "the data cannot be read",
     "The path does not exist or holds no kind of data that Hornbeam knows: CIFAR-10/100 binary "
     "files, IDX files (MNIST), .npz and .npy."},
    {"H202", Exit::input, "the data file is damaged",
     "The file is truncated, its header promises more or other than it holds, or its checksum is "
     "not the published one. A download that was cut short is the usual cause: delete the file and "
     "fetch it again. Python's numpy.load reads .npy and .npz files too and shows whether they are "
     "whole."},
    {"H203", Exit::input, "there is no data",
     "Zero samples are left to train or evaluate on, for instance because the file is empty or the "
     "validation split took everything."},
    {"H204", Exit::input, "a label is outside the classes of the model",
     "Sparse labels run from 0 to the number of outputs minus one."},
    {"H205", Exit::input, "data and model have different shapes",
     "The shape of a sample or of its target differs from what the model takes or gives."},
    {"H206", Exit::input, "an index is outside the table of an embedding",
     "Embedding inputs must lie from 0 to input_dim - 1. Negative numbers do not count from the "
     "end."},
    {"H207", Exit::input, "inputs and targets have different lengths",
     "There must be one target (and one sample weight, if given) for each sample."},
    {"H208", Exit::input, "unsupported array type",
     "Only arrays of numbers and booleans are read. Object arrays hold pickled Python, which is "
     "never unpacked."},
    {"H210", Exit::input, "the data set cannot be downloaded",
     "Without a network, put the named file in the named folder by hand; its checksum is checked."},
    // --- use of the program ---
    {"H301", Exit::usage, "wrong use of the command line",
     "A command or option does not exist, or something that a command needs is missing. hornbeam "
     "--help lists the commands; hornbeam COMMAND --help shows examples and all options of one. "
     "Options are written --name value or --name=value."},
    {"H302", Exit::usage, "wrong value of an option",
     "Values in function form are written ClassName(key=value, …) with the names of Keras."},
    {"H303", Exit::usage, "the run folder exists already",
     "Runs are never overwritten unless --overwrite is given."},
    {"H304", Exit::usage, "the settings contradict each other",
     "Each setting can be used, but not together with another one: --validation and "
     "--validation-split both say what to evaluate on, --weights belongs to a .json architecture "
     "only, --class-weight to one column of classes. The message names the two; leave one out. "
     "Settings may also come from the file of --config."},
    // --- memory ---
    {"H401", Exit::does_not_fit, "the step does not fit in memory",
     "The plan needs more memory than there is or than --memory allows. hornbeam plan shows what "
     "takes it; a smaller batch needs less."},
    {"H402", Exit::does_not_fit, "the system lends no more threads",
     "A thread needs memory for its stack, and the system counts the threads of a user. --threads "
     "asks for fewer; ulimit -u and ulimit -v show the limits of the shell."},
    // --- numbers ---
    {"H501", Exit::not_finite, "the loss is not finite",
     "The loss became NaN or infinite. A smaller learning rate, gradient clipping or scaled inputs "
     "usually help."},
    // --- devices behind plugins, workers ---
    {"H601", Exit::usage, "the plugin of a device cannot be loaded",
     "Devices other than the cores of this machine are driven by PJRT plugins: shared libraries "
     "that come with the vendor's packages. The library was not found, is not one, or needs "
     "libraries that are missing. docs/devices.md says where plugins are looked for and how to get "
     "them; --device pjrt:PATH takes the library of that path."},
    {"H602", Exit::input, "the plugin has an interface that cannot be used",
     "The library is a PJRT plugin of a version that is too old or too new, or its table lacks "
     "functions that training needs. Plugins from November 2024 on work."},
    {"H603", Exit::worker, "the plugin does not answer",
     "The plugin hung or ended its process when it was tried in a process apart, or a device has "
     "not answered for ten minutes (HORNBEAM_PJRT_PATIENCE gives another time, in seconds). "
     "Another program may hold the device, or its driver may be missing."},
    {"H604", Exit::worker, "the device reports an error",
     "The plugin refused a call. The notes are its own words. Without a device of its kind a "
     "plugin has nothing to run on."},
    // --- graphs and types ---
    {"H701", Exit::internal, "wrong types in a graph",
     "An operation was given operands or attributes that its type rule refuses."},
    {"H702", Exit::internal, "a graph is malformed",
     "Verification after a compiler pass failed, or a graph text cannot be parsed."},
    {"H703", Exit::internal, "no gradient", "An operation on the path has no gradient."},
    {"H704", Exit::internal, "no kernel", "The backend cannot run an operation."},
    // --- faults of our own ---
    {"H901", Exit::internal, "a fault in Hornbeam itself",
     "A check inside the program failed. Please report it with the message and the model file."},
    {"H130", Exit::interrupted, "interrupted", "The run was interrupted after saving."},
};

}  // namespace hornbeam
