// The files of tests/formats/hdf5 were written by h5py (make.py beside them): the same objects in
// three generations of the format. The numbers follow the formulas of make.py.
#include "formats/hdf5.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "formats/hdf5_writer.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

using Texts = std::vector<std::string>;

std::filesystem::path file(const std::string& name) {
  return std::filesystem::path(HORNBEAM_TESTS_FOLDER) / "formats/hdf5" / (name + ".h5");
}

template <class T>
void expect_values(const Tensor& tensor, const Shape& shape, std::initializer_list<T> values) {
  EXPECT_TRUE(identical(tensor, Tensor::of<T>(shape, values))) << to_string(tensor.shape());
}

class Hdf5Generations : public ::testing::TestWithParam<std::string> {
 protected:
  Hdf5Group group(const std::string& name) {
    return Hdf5File::open(file(GetParam())).root().group(name);
  }
};

INSTANTIATE_TEST_SUITE_P(Files, Hdf5Generations, ::testing::Values("default", "v108", "latest"),
                         [](const auto& file) { return file.param; });

TEST_P(Hdf5Generations, NumbersOfBothByteOrders) {
  const std::pair<std::string, DType> types[] = {
      {"f2", DType::float32}, {"f4", DType::float32}, {"f8", DType::float64}, {"i1", DType::int32},
      {"i2", DType::int32},   {"i4", DType::int32},   {"i8", DType::int64},   {"u1", DType::uint8},
      {"u2", DType::int32},   {"u4", DType::int64},   {"u8", DType::int64}};
  Tensor one_to_six = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  Hdf5Group numbers = group("numbers");
  for (const auto& [code, dtype] : types)
    for (std::string order : {"", "big_"})
      EXPECT_TRUE(identical(numbers.dataset(order + code), one_to_six.converted(dtype)))
          << order << code;
}

TEST_P(Hdf5Generations, NumbersOfKeras) {
  Hdf5Group numbers = group("numbers");
  expect_values<bool>(numbers.dataset("bool"), {3}, {true, false, true});
  expect_values<float>(numbers.dataset("scalar"), {}, {2.5f});
  expect_values<BFloat16>(numbers.dataset("bfloat16"), {2}, {BFloat16(1), BFloat16(-2.5f)});
  Tensor halves = numbers.dataset("halves");
  auto values = halves.values<float>();
  EXPECT_EQ(values[2], 0.333251953125f);  // the float16 nearest to 1/3: 1365 / 4096
  EXPECT_EQ(values[3], 65504);
  EXPECT_EQ(values[4], std::ldexp(1.0f, -24));
  EXPECT_TRUE(std::signbit(values[1]) && std::isinf(values[5]) && std::isnan(values[6]));
  expect_failure("H102", "18446744073709551615", [&] { numbers.dataset("too_large"); });
}

TEST_P(Hdf5Generations, ChunksAndFilters) {
  Hdf5Group storage = group("storage");
  Tensor expected(DType::float32, {7, 11});
  for (int i = 0; i < 77; ++i) expected.values<float>()[i] = static_cast<float>(i) / 4;
  for (std::string name : {"chunks_plain", "chunks_deflate", "chunks_shuffle", "chunks_checksum",
                           "chunks_all", "one_chunk", "one_packed_chunk", "big_chunks"})
    EXPECT_TRUE(identical(storage.dataset(name), expected)) << name;
  Tensor cube(DType::int32, {3, 4, 5});
  std::iota(cube.values<int32_t>().begin(), cube.values<int32_t>().end(), 0);
  EXPECT_TRUE(identical(storage.dataset("cube"), cube));
}

TEST_P(Hdf5Generations, WhatWasNeverWritten) {
  Hdf5Group storage = group("storage");
  expect_values<float>(storage.dataset("holes"), {6}, {5, 5, 1, 2, 5, 5});
  EXPECT_TRUE(identical(storage.dataset("never_written"), Tensor(DType::float32, {3, 4})));
  expect_values<int32_t>(storage.dataset("never_written_filled"), {3}, {7, 7, 7});
  EXPECT_TRUE(identical(storage.dataset("no_rows"), Tensor(DType::float32, {0, 5})));
  EXPECT_TRUE(identical(storage.dataset("null"), Tensor(DType::float32, {0})));
  expect_values<float>(storage.dataset("compact"), {3}, {1, 2, 3});
}

TEST_P(Hdf5Generations, TextsOfAllKinds) {
  Hdf5Group texts = group("texts");
  EXPECT_EQ(texts.texts("fixed"), (Texts{"kernel", "", "b"}));
  EXPECT_EQ(texts.texts("variable"), (Texts{"hägbuche", "", "x"}));
  EXPECT_EQ(texts.texts("ascii"), Texts{"one"});
  EXPECT_EQ(texts.texts("scalar"), Texts{"hornbeam"});
  EXPECT_EQ(texts.texts("spaces"), (Texts{"ab", " c"}));
  EXPECT_EQ(texts.texts("terminated"), (Texts{"ab", "cde"}));
}

TEST_P(Hdf5Generations, Attributes) {
  Hdf5Group attributes = group("attributes");
  EXPECT_EQ(attributes.text_attribute("text"), "Adam β");
  EXPECT_EQ(attributes.text_attribute("bytes"), "fixed");
  EXPECT_EQ(attributes.texts_attribute("text"), Texts{"Adam β"});
  EXPECT_EQ(attributes.texts_attribute("texts"), (Texts{"dense", "", "conv2d"}));
  EXPECT_EQ(attributes.texts_attribute("fixed_texts"), (Texts{"kernel:0", "bias:0"}));
  EXPECT_EQ(attributes.texts_attribute("no_texts"), Texts{});
  EXPECT_EQ(attributes.texts_attribute("empty"), Texts{});
  expect_values<int64_t>(attributes.number_attribute("number"), {}, {3});
  expect_values<double>(attributes.number_attribute("numbers"), {2}, {1.5, 2.5});
  EXPECT_TRUE(attributes.has_attribute("text"));
  EXPECT_FALSE(attributes.has_attribute("tex"));
  expect_failure("H101", "there is 'texts'", [&] { attributes.text_attribute("texxts"); });
  expect_failure("H102", "holds 3 texts", [&] { attributes.text_attribute("texts"); });
  expect_failure("H102", "where text belongs", [&] { attributes.text_attribute("number"); });
  expect_failure("H102", "where numbers belong", [&] { attributes.number_attribute("text"); });
}

TEST_P(Hdf5Generations, ManyAndLargeAttributes) {
  Hdf5Group many = group("attributes/many");
  EXPECT_EQ(many.attribute_names().size(), 60u);
  for (int i = 0; i < 60; ++i)
    expect_values<int64_t>(many.number_attribute(fmt::format("attribute_{}", i)), {}, {i});
  Hdf5Group large = group("attributes/large");
  std::string long_text = large.text_attribute("long_text");
  EXPECT_EQ(long_text.size(), 7000u);
  EXPECT_EQ(long_text.substr(6985), "567890123456789");
  Texts names = large.texts_attribute("name_list");
  ASSERT_EQ(names.size(), 700u);
  for (int i = 0; i < 700; ++i) EXPECT_EQ(names[i], fmt::format("layer_{:03}", i));
}

TEST_P(Hdf5Generations, Groups) {
  Hdf5Group root = group("");
  EXPECT_EQ(root.path(), "/");
  expect_values<int32_t>(root.dataset("nested/a/b/c/deep"), {2}, {4, 2});
  expect_values<int32_t>(root.group("/nested/a").group("b//c/").dataset("deep"), {2}, {4, 2});
  EXPECT_EQ(root.group("nested/a/b").path(), "/nested/a/b");
  EXPECT_EQ(root.names(),
            (Texts{"attributes", "hägbuche", "named_type", "nested", "nothing", "numbers",
                   "ordered", "ring", "storage", "texts", "unread", "wide"}));
  EXPECT_TRUE(root.group("nothing").names().empty());
  EXPECT_EQ(root.shape("storage/cube"), (Shape{3, 4, 5}));
  expect_values<float>(root.dataset("hägbuche/x"), {}, {1});
  expect_values<float>(root.dataset("ordered/x"), {}, {1});
  EXPECT_EQ(root.group("ring/round/round").path(), "/ring/round/round");
  EXPECT_TRUE(root.has("nested/a/b/c/deep"));
  EXPECT_TRUE(root.has_group("nested/a"));
  EXPECT_FALSE(root.has_group("nested/a/b/c/deep"));
  EXPECT_FALSE(root.has("nested/a/b/c/deep/er") || root.has("neste") || root.has_group("x/y"));
}

TEST_P(Hdf5Generations, WideGroups) {
  int links = GetParam() == "latest" ? 1300 : 150;
  Hdf5Group wide = group("wide");
  EXPECT_EQ(wide.names().size(), static_cast<size_t>(links));
  for (int i = 0; i < links; i += 7)
    expect_values<int32_t>(wide.dataset(fmt::format("link_{}", i)), {1}, {9});
}

TEST_P(Hdf5Generations, WhatIsMissingIsNamed) {
  Hdf5Group root = group("");
  expect_failure("H101", "no object 'numbrs'", [&] { root.group("numbrs"); });
  expect_failure("H101", "there is 'numbers'", [&] { root.group("numbrs"); });
  expect_failure("H101", "is a dataset where a group", [&] { root.group("numbers/f4"); });
  expect_failure("H101", "'/numbers/f4' is a dataset where", [&] { root.dataset("numbers/f4/x"); });
  expect_failure("H101", "is no dataset", [&] { root.dataset("numbers"); });
  expect_failure("H101", "no attribute 'backend'", [&] { root.text_attribute("backend"); });
}

TEST_P(Hdf5Generations, WhatIsNotReadIsNamed) {
  Hdf5Group unread = group("unread");
  expect_failure("H102", "compound type", [&] { unread.dataset("compound"); });
  expect_failure("H102", "unread/compound", [&] { unread.dataset("compound"); });
  expect_failure("H102", "comp", [&] { unread.dataset("complex"); });  // compound, later complex
  expect_failure("H102", "the filter lzf", [&] { unread.dataset("lzf"); });
  expect_failure("H102", "the symbolic link 'soft'", [&] { unread.dataset("soft"); });
  expect_failure("H102", "the symbolic link 'external'", [&] { unread.dataset("external"); });
  expect_failure("H102", "a string type of 6 bytes", [&] { group("texts").dataset("fixed"); });
  expect_values<float>(unread.dataset("of_named_type"), {2}, {1, 2});
  if (GetParam() == "latest")
    expect_failure("H102", "an extensible array", [&] { unread.dataset("resizable"); });
  else
    expect_values<float>(unread.dataset("resizable"), {5}, {0, 1, 2, 3, 4});
}

TEST(Hdf5File, ReadsPagesOfFixedArrays) {
  Hdf5Group root = Hdf5File::open(file("many_chunks")).root();
  Tensor numbers = root.dataset("x");
  ASSERT_EQ(numbers.shape(), Shape{2100});
  for (int i = 0; i < 2100; ++i) ASSERT_EQ(numbers.values<int32_t>()[i], i);
  Tensor sparse(DType::uint8, {4200});
  for (uint8_t i = 0; i < 4; ++i) sparse.values<uint8_t>()[4100 + i] = i + 1;
  EXPECT_TRUE(identical(root.dataset("sparse"), sparse));
}

TEST(Hdf5File, SkipsTheBlockOfTheUser) {
  expect_values<float>(Hdf5File::open(file("user_block")).root().dataset("x"), {3}, {1, 2, 3});
}

// Rows of the first axis, of the second, of the last, and single elements that are large rows.
TEST(Hdf5File, IsWrittenInPartsWhateverTheShape) {
  TemporaryFolder folder;
  const std::filesystem::path path = folder / "parts.h5";
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{0, 3}, Shape{200001}, Shape{700, 301},
                             Shape{3, 5, 30000}, Shape{2, 3, 100003}, Shape{2, 1, 2, 70001}}) {
    Tensor tensor(DType::float32, shape);
    std::iota(tensor.values<float>().begin(), tensor.values<float>().end(), 1.0f);
    write_hdf5(path, {.datasets = {{"x", source_of(tensor)}}}, path);
    EXPECT_TRUE(identical(Hdf5File::open(path).root().dataset("x"), tensor)) << to_string(shape);
  }
}

TEST(Hdf5File, RefusesWhatIsNoHdf5File) {
  expect_failure("H102", "x.h5",
                 [] { Hdf5File::parse(source_owning(std::vector<std::byte>{}), "x.h5"); });
  expect_failure("H102", "not an HDF5 file",
                 [] { Hdf5File::parse(source_owning(std::vector<std::byte>(5000)), "x.h5"); });
  expect_failure("H101", "no_such.h5", [] { Hdf5File::open(file("no_such")); });
}

}  // namespace
}  // namespace hornbeam
