#include "backends/cpu/kernels/tile_program.h"

#include <algorithm>
#include <array>

#include "backends/cpu/kernels/tile_operations.h"
#include "backends/cpu/kernels/tile_transfer.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

constexpr int64_t tiles_per_piece = 16;

struct Operands {
  std::span<const void* const> inputs;
  std::span<const uint64_t> keys;
  std::span<void* const> outputs;
};

int64_t piece_floats(const TileProgram& program) { return tiles_per_piece * program.tile; }

int64_t summed_columns(const TileProgram& program) {
  int64_t columns = 0;
  for (const TileOutput& output : program.outputs) columns += output.columns;
  return columns;
}

// Tiles of a thread, and where the tile of each register is at the moment.
class Registers {
 public:
  Registers(const TileProgram& program, WorkspaceCutter& cutter)
      : own_(cutter.take(program.registers * tile_floats)),
        at_(cutter.take<float*>(program.registers)) {}

  float* operator[](int reg) const { return at_[reg]; }
  float* const* places() const { return at_; }
  void keep(int reg) { at_[reg] = own_ + reg * tile_floats; }
  void point(int reg, float* memory) { at_[reg] = memory; }

 private:
  float* own_;
  float** at_;
};

int64_t bytes_of_registers(const TileProgram& program) {
  WorkspaceCutter cutter;
  Registers(program, cutter);
  return cutter.bytes();
}

// A direct operand is used where it is, unless a vector would reach over its end.
void load(const TileInput& input, const void* from, int64_t first, int64_t count,
          Registers& registers) {
  if (input.direct && count % 16 == 0) {
    const float* there = static_cast<const float*>(from) + input.offset + first;
    return registers.point(input.reg, const_cast<float*>(there));  // only read
  }
  registers.keep(input.reg);
  load_tile(input, from, first, count, registers[input.reg]);
}

void place(const TileOutput& output, void* to, int64_t first, int64_t count, Registers& registers) {
  if (output.direct && count % 16 == 0)
    registers.point(output.reg, static_cast<float*>(to) + first);
  else if (output.direct)
    registers.keep(output.reg);
}

void run_tile(const TileProgram& program, int64_t first, int64_t count, const Operands& on,
              Registers& registers, float* sums) {
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (!program.inputs[i].once) load(program.inputs[i], on.inputs[i], first, count, registers);
  for (size_t i = 0; i < program.outputs.size(); ++i)
    place(program.outputs[i], on.outputs[i], first, count, registers);
  run_instructions(program.instructions, registers.places(), on.keys, first, count);
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const TileOutput& output = program.outputs[i];
    if (output.columns > 0) {
      add_rows(registers[output.reg], count, output.columns, sums);
      sums += output.columns;
    } else if (!output.direct || count % 16 != 0) {
      store_tile(output.dtype, registers[output.reg], first, count, on.outputs[i]);
    }
  }
}

// No tile of the piece is longer than its first one, of `count` elements.
void start_piece(const TileProgram& program, int64_t count, const Operands& on,
                 Registers& registers) {
  for (int reg = 0; reg < program.registers; ++reg) registers.keep(reg);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].once)
      load_tile(program.inputs[i], on.inputs[i], 0, count, registers[program.inputs[i].reg]);
  run_instructions(program.once, registers.places(), on.keys, 0, count);
}

void sum_pieces(const float* sums, int64_t pieces, int64_t stride, int64_t columns, float* to) {
  std::array<double, tile_floats> totals;
  std::fill_n(totals.begin(), columns, 0.0);
  for (int64_t piece = 0; piece < pieces; ++piece)
    for (int64_t c = 0; c < columns; ++c)
      totals[static_cast<size_t>(c)] += sums[piece * stride + c];
  for (int64_t c = 0; c < columns; ++c) to[c] = static_cast<float>(totals[static_cast<size_t>(c)]);
}

}  // namespace

int64_t tile_workspace(const TileProgram& program, int64_t count, int threads) {
  WorkspaceCutter cutter;
  cutter.take(divide_up(count, piece_floats(program)) * summed_columns(program));
  return cutter.bytes() + threads * bytes_of_registers(program);
}

void run_tiles(const TileProgram& program, int64_t count, std::span<const void* const> inputs,
               std::span<const uint64_t> keys, std::span<void* const> outputs, void* workspace,
               ThreadPool& threads) {
  const int64_t piece_length = piece_floats(program), columns = summed_columns(program);
  const int64_t pieces = divide_up(count, piece_length);
  WorkspaceCutter cutter(workspace);
  float* sums = cutter.take(pieces * columns);
  std::byte* rest = static_cast<std::byte*>(workspace) + cutter.bytes();
  std::fill_n(sums, pieces * columns, 0.0f);
  threads.run(pieces, [&](int64_t piece, int thread) {
    WorkspaceCutter own(rest + thread * bytes_of_registers(program));
    Registers registers(program, own);
    const Operands on{inputs, keys, outputs};
    const int64_t begin = piece * piece_length, end = std::min(count, begin + piece_length);
    start_piece(program, std::min(program.tile, end - begin), on, registers);
    for (int64_t first = begin; first < end; first += program.tile)
      run_tile(program, first, std::min(program.tile, end - first), on, registers,
               sums + piece * columns);
  });
  int64_t before = 0;
  for (size_t i = 0; i < outputs.size(); before += program.outputs[i++].columns)
    if (program.outputs[i].columns > 0)
      sum_pieces(sums + before, pieces, columns, program.outputs[i].columns,
                 static_cast<float*>(outputs[i]));
}

}  // namespace hornbeam
