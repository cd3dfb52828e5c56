#include "data/readers.h"

#include "archives.h"
#include "base/files.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "process_memory.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {
namespace fs = std::filesystem;

const fs::path shared(HORNBEAM_SHARED_DATA);

void expect_failure(const std::string& code, const std::vector<std::string>& parts,
                    const DataRequest& request) {
  expect_error(code, parts, [&] { read_dataset(request); });
}

// Labels, then planes: red counts up from 0, green is 100 + label, blue is 7.
std::string cifar_record(std::string labels) {
  std::string record = labels;
  for (int i = 0; i < 1024; ++i) record += static_cast<char>(i % 256);
  record += std::string(1024, static_cast<char>(100 + labels.back()));
  return record + std::string(1024, 7);
}

void expect_cifar(const Dataset& data, const std::vector<uint8_t>& labels) {
  auto n = std::ssize(labels);
  EXPECT_TRUE(identical(data.targets[0].tensor, Tensor::of<uint8_t>({n, 1}, std::span(labels))));
  ASSERT_EQ(data.inputs[0].tensor.shape(), (Shape{n, 32, 32, 3}));
  auto x = data.inputs[0].tensor.values<uint8_t>();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t pixel : {0, 1, 33, 1023}) {
      EXPECT_EQ(x[(i * 1024 + pixel) * 3], pixel % 256);
      EXPECT_EQ(x[(i * 1024 + pixel) * 3 + 1], 100 + labels[i]);
      EXPECT_EQ(x[(i * 1024 + pixel) * 3 + 2], 7);
    }
}

TEST(DataRequest, SplitsThePartOff) {
  EXPECT_EQ(parse_data_request("a/b").path, "a/b");
  EXPECT_EQ(parse_data_request("a/b").part, Part::train);
  EXPECT_EQ(parse_data_request("a:test").path, "a");
  EXPECT_EQ(parse_data_request("a:test").part, Part::test);
  EXPECT_EQ(parse_data_request("a:train").path, "a");
  EXPECT_EQ(parse_data_request("a:other").path, "a:other");
  TemporaryFolder folder;
  write_text(folder / "odd:test", "x");
  EXPECT_EQ(parse_data_request((folder / "odd:test").string()).path, folder / "odd:test");
}

TEST(Readers, RefuseWhatTheyDoNotKnow) {
  TemporaryFolder folder;
  expect_failure("H201", {"no file or folder", "PATH:PART"}, {.path = folder / "missing"});
  expect_failure("H201", {"no data of a known kind", "CIFAR", "IDX", ".npz", ".npy"},
                 {.path = folder.path()});
  write_text(folder / "a.txt", "words");
  expect_failure("H201", {"a.txt", "known kind"}, {.path = folder / "a.txt"});
  write_text(folder / "a.npy", "");
  expect_failure("H201", {"known kind"}, {.path = folder / "a.npy"});
}

TEST(Cifar, ReadsPartsInOrder) {
  TemporaryFolder folder;
  write_text(folder / "data_batch_2.bin", cifar_record("\x05"));
  write_text(folder / "data_batch_10.bin", cifar_record("\x09"));
  write_text(folder / "data_batch_1.bin", cifar_record("\x03") + cifar_record("\x04"));
  write_text(folder / "test_batch.bin", cifar_record("\x08"));
  write_text(folder / "batches.meta.txt", "airplane\nautomobile\r\n\n");
  Dataset train = read_dataset({.path = folder.path()});
  expect_cifar(train, {3, 4, 5, 9});
  EXPECT_EQ(train.class_names, (std::vector<std::string>{"airplane", "automobile"}));
  EXPECT_EQ(train.name, folder.path().string() + ":train");
  expect_cifar(read_dataset({.path = folder.path(), .part = Part::test}), {8});
  expect_cifar(read_dataset({.path = folder / "data_batch_1.bin"}), {3, 4});
}

TEST(Cifar, TakesTheFineLabelsOfCifar100) {
  TemporaryFolder folder;
  write_text(folder / "train.bin", cifar_record("\x01\x63") + cifar_record("\x13\x02"));
  write_text(folder / "fine_label_names.txt", "apple\nfish\n");
  Dataset data = read_dataset({.path = folder.path()});
  expect_cifar(data, {99, 2});
  EXPECT_EQ(data.class_names.size(), 2u);
}

TEST(Cifar, RefusesDamage) {
  TemporaryFolder folder;
  std::string record = cifar_record("\x01");
  write_text(folder / "train.bin", record.substr(1));
  expect_failure("H202", {"3072 bytes", "3073", "3074", "train.bin"}, {.path = folder.path()});
  write_text(folder / "train.bin", record + cifar_record("\x0a"));
  expect_failure("H202", {"record 1 has a label outside CIFAR-10"}, {.path = folder.path()});
  write_text(folder / "train.bin", "");
  expect_failure("H203", {"no samples"}, {.path = folder.path()});
  expect_failure("H201", {"no part 'test'", "test*.bin"},
                 {.path = folder.path(), .part = Part::test});
  expect_failure("H201", {"no part 'test'", "single file"},
                 {.path = folder / "train.bin", .part = Part::test});
  write_text(folder / "train.bin", record);
  write_text(folder / "train_2.bin", cifar_record("\x01\x02"));
  expect_failure("H202", {"holds CIFAR-100, but 'train.bin' holds CIFAR-10"},
                 {.path = folder.path()});
}

std::string idx(std::vector<uint8_t> extents, const std::string& numbers) {
  std::string content{0, 0, 8, static_cast<char>(extents.size())};
  for (uint8_t extent : extents) content += std::string{0, 0, 0, static_cast<char>(extent)};
  return content + numbers;
}

TEST(Idx, ReadsPlainAndCompressedFiles) {
  TemporaryFolder folder;
  write_text(folder / "train-images-idx3-ubyte", idx({2, 1, 3}, "abcdef"));
  write_gzip(folder / "train-labels-idx1-ubyte.gz", idx({2}, "\x07\x02"));
  write_gzip(folder / "t10k-images.idx3-ubyte.gz", idx({1, 2, 2}, "wxyz"));
  write_text(folder / "t10k-labels.idx1-ubyte", idx({1}, "\x05"));
  Dataset train = read_dataset({.path = folder.path()});
  EXPECT_TRUE(identical(train.inputs[0].tensor,
                        Tensor::of<uint8_t>({2, 1, 3}, {'a', 'b', 'c', 'd', 'e', 'f'})));
  EXPECT_TRUE(identical(train.targets[0].tensor, Tensor::of<uint8_t>({2}, {7, 2})));
  Dataset test = read_dataset({.path = folder.path(), .part = Part::test});
  EXPECT_TRUE(
      identical(test.inputs[0].tensor, Tensor::of<uint8_t>({1, 2, 2}, {'w', 'x', 'y', 'z'})));
}

TEST(Idx, RefusesDamage) {
  TemporaryFolder folder;
  fs::path images = folder / "train-images-idx3-ubyte", labels = folder / "train-labels-idx1-ubyte";
  write_text(images, idx({2, 1, 1}, "ab"));
  EXPECT_TRUE(read_dataset({.path = folder.path()}).targets.empty());
  expect_failure("H201", {"no part 'test'", "t10k-images-idx3-ubyte"},
                 {.path = folder.path(), .part = Part::test});
  write_text(labels, idx({3}, "abc"));
  expect_failure("H207", {"has 2 samples", "has 3"}, {.path = folder.path()});
  struct Case {
    std::string content, code, part;
  };
  std::string floats = idx({2}, "abcdefgh");
  floats[2] = 0x0d;
  const Case cases[] = {
      {"", "H202", "begins with two zero bytes"},
      {"PK\x03\x04", "H202", "begins with two zero bytes"},
      {idx({2}, "").substr(0, 6), "H202", "ends inside its header"},
      {idx({2, 1}, "ab"), "H202", "expected 1 axes, the file has 2"},
      {idx({2}, "a"), "H202", "needs 2 bytes, 1 are there"},
      {idx({2}, "abc"), "H202", "needs 2 bytes, more are there"},
      {floats, "H208", "0x0d"},
  };
  for (const Case& c : cases) {
    write_text(labels, c.content);
    expect_failure(c.code, {c.part, "train-labels"}, {.path = folder.path()});
  }
  write_text(labels, idx({2}, "ab"));
  write_text(images, std::string({0, 0, 8, 3}) + std::string(12, '\xff'));
  expect_failure("H202", {"absurdly large"}, {.path = folder.path()});
}

TEST(Idx, RefusesDamagedGzip) {
  TemporaryFolder folder;
  write_text(folder / "train-images-idx3-ubyte", idx({2, 1, 1}, "ab"));
  fs::path labels = folder / "train-labels-idx1-ubyte.gz";
  write_gzip(labels, idx({2}, "ab"));
  std::string whole = read_text(labels);
  for (size_t length = 0; length < whole.size(); ++length) {
    write_text(labels, whole.substr(0, length));
    expect_failure("H202", {"train-labels"}, {.path = folder.path()});
  }
  whole[whole.size() - 6] ^= 1;  // the checksum
  write_text(labels, whole);
  expect_failure("H202", {"compressed data is broken"}, {.path = folder.path()});
}

// What a header claims is compared with what the file can hold before any memory is taken for it.
TEST(Idx, RefusesAHeaderThatItsFileCannotFill) {
  TemporaryFolder folder;
  fs::path images = folder / "train-images-idx3-ubyte.gz";
  write_gzip(images, std::string({0, 0, 8, 3, 0x7f, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 28}) +
                         std::string(1 << 20, '\0'));
  forget_the_peak();
  const double before = status_bytes("VmRSS");
  expect_failure("H202", {"2130706432, 28, 28", "at most"}, {.path = folder.path()});
  const double grown = status_bytes("VmHWM") - before;
  EXPECT_TRUE(sanitized || grown < 8e6) << grown;
}

void save(const fs::path& path, const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : arrays) named.push_back({name, tensor});
  write_npz(path, named);
}

const Tensor two = Tensor::of<float>({2, 1}, {1, 2});
const Tensor three = Tensor::of<float>({3, 1}, {1, 2, 3});

TEST(NpzReader, TakesTheKeysOfKeras) {
  TemporaryFolder folder;
  fs::path file = folder / "a.npz";
  save(file, {{"x_train", two}, {"y_train", two}, {"x_test", three}, {"y_test", three}});
  EXPECT_TRUE(identical(read_dataset({.path = file}).inputs[0].tensor, two));
  Dataset test = read_dataset({.path = file, .part = Part::test});
  EXPECT_TRUE(identical(test.targets[0].tensor, three));
  EXPECT_EQ(test.name, file.string() + ":test");

  save(file, {{"x", two}, {"y", two}, {"sample_weight", two}});
  Dataset plain = read_dataset({.path = file});
  EXPECT_TRUE(identical(*plain.sample_weight, two.reshaped({2})));
  EXPECT_EQ(plain.inputs[0].name, "");
  expect_failure("H201", {"no inputs for the part 'test'", "it holds: x, y, sample_weight"},
                 {.path = file, .part = Part::test});
}

TEST(NpzReader, PrefersTheNamesOfTheModel) {
  TemporaryFolder folder;
  fs::path file = folder / "a.npz";
  save(file, {{"right", two}, {"left", two}, {"x", three}, {"sum", two}});
  Dataset data =
      read_dataset({.path = file, .input_names = {"left", "right"}, .output_names = {"sum"}});
  ASSERT_EQ(data.inputs.size(), 2u);
  EXPECT_EQ(data.inputs[0].name, "left");
  EXPECT_EQ(data.inputs[1].name, "right");
  EXPECT_EQ(data.targets[0].name, "sum");
  save(file, {{"x", two}});
  Dataset usual = read_dataset({.path = file, .input_names = {"image"}, .output_names = {"d"}});
  EXPECT_EQ(usual.inputs[0].name, "");
  EXPECT_TRUE(usual.targets.empty());
  save(file, {{"other", two}});
  expect_failure("H201", {"it holds: other", "the model's inputs: image"},
                 {.path = file, .input_names = {"image"}});
}

TEST(NpzReader, RefusesWhatDoesNotFit) {
  TemporaryFolder folder;
  fs::path file = folder / "a.npz";
  save(file, {{"x", two}, {"y", three}});
  expect_failure("H207", {"x (the inputs) has 2 samples, but y (the targets) has 3"},
                 {.path = file});
  save(file, {{"x", two}, {"sample_weight", Tensor(DType::float32, {2, 2})}});
  expect_failure("H205", {"(2, 2)", "a.npz"}, {.path = file});
  std::string whole = read_text(file);
  write_text(file, whole.substr(0, whole.size() / 2));
  EXPECT_THROW(read_dataset({.path = file}), Error);
  fs::path objects = fs::path(HORNBEAM_TESTS_FOLDER) / "formats/npy/with_object.npz";
  EXPECT_TRUE(read_dataset({.path = objects}).targets.empty());  // what is not needed is not read
  expect_failure("H208", {"words", "never unpacked"}, {.path = objects, .input_names = {"words"}});
}

TEST(NpyReader, TakesTargetsFromASecondFile) {
  TemporaryFolder folder;
  write_file(folder / "x.npy", npy_bytes(two));
  write_file(folder / "y.npy", npy_bytes(three));
  EXPECT_TRUE(read_dataset({.path = folder / "x.npy"}).targets.empty());
  Dataset data = read_dataset({.path = folder / "x.npy", .targets = folder / "x.npy"});
  EXPECT_TRUE(identical(data.targets[0].tensor, two));
  expect_failure("H207", {"has 2", "has 3"},
                 {.path = folder / "x.npy", .targets = folder / "y.npy"});
  expect_failure("H201", {"none.npy"}, {.path = folder / "x.npy", .targets = folder / "none.npy"});
  expect_failure("H201", {"no part 'test'"}, {.path = folder / "x.npy", .part = Part::test});
  write_file(folder / "scalar.npy", npy_bytes(Tensor::scalar(1.0f)));
  expect_failure("H205", {"single number"}, {.path = folder / "scalar.npy"});
  write_text(folder / "train.bin", cifar_record("\x01"));
  expect_failure("H304", {"--targets"},
                 {.path = folder / "train.bin", .targets = folder / "y.npy"});
}

// Facts of the files counted with NumPy.
TEST(SharedData, Cifar10Small) {
  if (!fs::exists(shared)) GTEST_SKIP() << "no shared data at " << shared;
  Dataset train = read_dataset({.path = shared / "cifar10-small"});
  EXPECT_EQ(train.samples(), 10000);
  EXPECT_EQ(train.class_names.size(), 10u);
  EXPECT_EQ(read_dataset({.path = shared / "cifar10-small", .part = Part::test}).samples(), 2000);
  Dataset lossless = read_dataset({.path = shared / "cifar10-lossless-4000"});
  EXPECT_EQ(lossless.samples(), 4000);
  // The first picture of CIFAR-10 is a frog (6) whose first pixel is (59, 62, 63).
  auto x = std::as_const(lossless).inputs[0].tensor.values<uint8_t>();
  EXPECT_EQ((std::vector<int>{x[0], x[1], x[2]}), (std::vector<int>{59, 62, 63}));
  EXPECT_EQ(lossless.targets[0].tensor.values<uint8_t>()[0], 6);
}

TEST(SharedData, Mnist) {
  if (!fs::exists(shared)) GTEST_SKIP() << "no shared data at " << shared;
  Dataset train = read_dataset({.path = shared / "mnist"});
  EXPECT_EQ(train.inputs[0].tensor.shape(), (Shape{60000, 28, 28}));
  // The first training labels of MNIST are 5, 0, 4, 1, 9.
  auto y = std::as_const(train).targets[0].tensor.values<uint8_t>();
  EXPECT_EQ((std::vector<int>{y[0], y[1], y[2], y[3], y[4]}), (std::vector<int>{5, 0, 4, 1, 9}));
  EXPECT_EQ(read_dataset({.path = shared / "mnist", .part = Part::test}).samples(), 10000);
}

}  // namespace
}  // namespace hornbeam
