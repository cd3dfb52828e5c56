// The files of tests/formats/npy were written by NumPy (make.py beside them). Case B53.
#include "formats/npy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "formats/npy_header.h"

namespace hornbeam {
namespace {

std::filesystem::path file(const std::string& name) {
  return std::filesystem::path(HORNBEAM_TESTS_FOLDER) / "formats/npy" / (name + ".npy");
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string failure_of(const std::string& content) {
  try {
    parse_npy(std::as_bytes(std::span(content)), "x.npy");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_failure(const std::string& content, const std::string& code, const std::string& part) {
  std::string failure = failure_of(content);
  EXPECT_TRUE(failure.starts_with("error[" + code + "]")) << failure;
  EXPECT_NE(failure.find(part), failure.npos) << failure;
  EXPECT_NE(failure.find("x.npy"), failure.npos) << failure;
}

std::string with_header(const std::string& literal, const std::string& data = "") {
  std::string length{static_cast<char>(literal.size() & 0xff),
                     static_cast<char>(literal.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + literal + data;
}

const Tensor one_to_six = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

struct TypeCase {
  std::string code;
  DType dtype;
};

class NpyTypes : public ::testing::TestWithParam<TypeCase> {};

TEST_P(NpyTypes, AreReadInBothByteOrders) {
  const TypeCase& type = GetParam();
  for (std::string order : {"little_", "big_"}) {
    if (order == "big_" && type.code[1] == '1') continue;  // single bytes have no order
    EXPECT_TRUE(identical(read_npy(file(order + type.code)), one_to_six.converted(type.dtype)))
        << order << type.code;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NpyTypes,
    ::testing::Values(TypeCase{"f4", DType::float32}, TypeCase{"f8", DType::float64},
                      TypeCase{"f2", DType::float32}, TypeCase{"i1", DType::int32},
                      TypeCase{"i2", DType::int32}, TypeCase{"i4", DType::int32},
                      TypeCase{"i8", DType::int64}, TypeCase{"u1", DType::uint8},
                      TypeCase{"u2", DType::int32}, TypeCase{"u4", DType::int64},
                      TypeCase{"u8", DType::int64}),
    [](const auto& type_case) { return type_case.param.code; });

TEST(Npy, ReadsBooleans) {
  Tensor expected = Tensor::of<bool>({2, 3}, {true, false, true, false, false, true});
  EXPECT_TRUE(identical(read_npy(file("bool")), expected));
}

TEST(Npy, ReadsColumnMajorArrays) {
  EXPECT_TRUE(identical(read_npy(file("column_major")), one_to_six));
  Tensor numbers = read_npy(file("column_major_4d"));
  EXPECT_EQ(numbers.shape(), (Shape{2, 3, 4, 5}));
  for (int32_t i = 0; i < 120; ++i) ASSERT_EQ(numbers.values<int32_t>()[i], i);
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_TRUE(identical(read_npy(file("scalar")), Tensor::scalar(2.5)));
  EXPECT_TRUE(identical(read_npy(file("empty")), Tensor(DType::float32, {0, 5})));
}

TEST(Npy, ReadsAllVersions) {
  for (std::string version : {"1", "2", "3"})
    EXPECT_TRUE(identical(read_npy(file("version_" + version)), one_to_six)) << version;
}

TEST(Npy, WidensHalves) {
  Tensor tensor = read_npy(file("halves"));
  auto values = tensor.values<float>();
  EXPECT_EQ(values[0], 1.5f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(values[2], 65504.0f);
  EXPECT_EQ(values[3], 0x1p-24f);  // 6e-8 rounds to the smallest subnormal
  EXPECT_TRUE(values[4] == 0 && std::signbit(values[4]));
  EXPECT_TRUE(std::isinf(values[5]) && values[5] > 0);
  EXPECT_TRUE(std::isinf(values[6]) && values[6] < 0);
  EXPECT_TRUE(std::isnan(values[7]));
}

TEST(Npy, KeepsTheLimitsOfIntegers) {
  EXPECT_TRUE(identical(read_npy(file("int_limits")), Tensor::of<int32_t>({2}, {-128, 127})));
  EXPECT_EQ(read_npy(file("uint32_limit")).values<int64_t>()[0], 4294967295);
  expect_failure(read_text(file("uint64_too_large")), "H208", "9223372036854775808");
}

TEST(Npy, RefusesWhatHoldsNoNumbers) {
  expect_failure(read_text(file("object")), "H208", "never unpacked");
  expect_failure(read_text(file("text")), "H208", "'<U1'");
  expect_failure(read_text(file("complex")), "H208", "'<c16'");
  expect_failure(read_text(file("structured")), "H208", "[('a', '<i4'), ('b', '<f4')]");
}

TEST(Npy, RefusesEveryTruncation) {
  std::string whole = read_text(file("little_f4"));
  for (size_t length = 0; length < whole.size(); ++length)
    expect_failure(whole.substr(0, length), "H202", "");
  expect_failure(whole.substr(0, whole.size() - 1), "H202",
                 "(2, 3) needs 6 numbers of 4 bytes, but 23 bytes are there");
  expect_failure(whole + "x", "H202", "25 bytes are there");
}

TEST(Npy, SurvivesAnyDamagedByte) {
  for (std::string name : {"column_major", "big_u4", "version_3", "structured"}) {
    std::string whole = read_text(file(name));
    for (size_t i = 0; i < whole.size(); ++i)
      for (int change : {0x01, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        std::string failure = failure_of(damaged);
        EXPECT_TRUE(failure == "no error" || failure.starts_with("error[H20")) << failure;
      }
  }
}

TEST(Npy, RefusesBadHeaders) {
  struct Case {
    std::string header, part;
  };
  const Case cases[] = {
      {"", "lacks '{'"},
      {"{'descr': '<f4'", "lacks a comma"},
      {"{'descr': '<f4", "does not end"},
      {"{'descr': [[", "does not end"},
      {"{'descr': '<f4', 'descr': '<f4'}", "twice"},
      {"{'descr': '<f4', 'fortran_order': False}", "lacks descr, fortran_order or shape"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "something else than sizes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "lacks a comma"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "sizes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "absurdly"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387905)}", "absurdly"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "but 4 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}", "unknown key 'more'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "goes on"},
  };
  for (const Case& c : cases) expect_failure(with_header(c.header, "abcd"), "H202", c.part);
  expect_failure("\x93NUMPY\x04", "H202", "begin");
  expect_failure(std::string("\x93NUMPY\x04\x00\x00\x00", 10), "H202", "version 4");
  expect_failure(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "H202", "claims 4294967295");
  std::string axes;
  for (int axis = 0; axis < 65; ++axis) axes += "1,";
  expect_failure(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + axes + ")}"),
                 "H202", "absurdly");
}

TEST(Npy, ReadsTheHeadersOfPython2) {
  std::string content =
      with_header("{'shape': (1L, 2L), 'fortran_order': False, 'descr': '|u1'}\n", "ab");
  Tensor expected = Tensor::of<uint8_t>({1, 2}, {'a', 'b'});
  EXPECT_TRUE(identical(parse_npy(std::as_bytes(std::span(content)), ""), expected));
}

TEST(Npy, WritesTheBytesNumpyWrites) {
  for (std::string name :
       {"little_f4", "little_f8", "little_i4", "little_i8", "little_u1", "bool", "scalar", "empty"})
    EXPECT_EQ(text_of(npy_bytes(read_npy(file(name)))), read_text(file(name))) << name;
  Tensor vector = Tensor::of<float>({3}, {1, 2, 3});
  EXPECT_TRUE(npy_header_text("<f4", {3}).find("'shape': (3,), }") != std::string::npos);
  EXPECT_TRUE(identical(parse_npy(npy_bytes(vector), ""), vector));
  EXPECT_TRUE(identical(parse_npy(npy_bytes(vector.converted(DType::bfloat16)), ""), vector));
}

}  // namespace
}  // namespace hornbeam
