#include "backends/cpu/kernels/tile_program.h"

#include <algorithm>

#include "backends/cpu/kernels/tile_operations.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

constexpr int64_t tiles_per_piece = 16;

struct Operands {
  std::span<const void* const> inputs;
  std::span<const uint64_t> keys;
  std::span<void* const> outputs;
};

void run_tile(const TileProgram& program, int64_t first, int64_t count, const Operands& on,
              float* registers) {
  const auto at = [&](int reg) { return registers + reg * tile_floats; };
  for (size_t i = 0; i < program.inputs.size(); ++i)
    load_tile(program.inputs[i], on.inputs[i], first, count, at(program.inputs[i].reg));
  for (const TileInstruction& each : program.instructions) {
    const bool random = each.op == TileOp::uniform || each.op == TileOp::keep_mask;
    run_instruction(each, {.to = at(each.to),
                           .a = at(each.a),
                           .b = at(each.b),
                           .c = at(each.c),
                           .count = round_up(count, 16),
                           .key = random ? on.keys[static_cast<size_t>(each.key)] : 0,
                           .first = static_cast<uint64_t>(first)});
  }
  for (size_t i = 0; i < program.outputs.size(); ++i)
    store_tile(program.outputs[i].dtype, at(program.outputs[i].reg), first, count, on.outputs[i]);
}

int operand_count(TileOp op) {
  if (op < TileOp::add) return 1;
  if (op < TileOp::select) return 2;
  return op == TileOp::select ? 3 : 0;
}

// Gives registers out anew, lowest free one first, and takes them back after their last use.
class RegisterAssignment {
 public:
  explicit RegisterAssignment(const TileProgram& program)
      : last_use_(static_cast<size_t>(program.registers), -1),
        assigned_(static_cast<size_t>(program.registers), -1) {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      for_each_operand(program.instructions[i],
                       [&](int reg) { last_use_[static_cast<size_t>(reg)] = static_cast<int>(i); });
    for (const TileOutput& output : program.outputs)
      last_use_[static_cast<size_t>(output.reg)] = static_cast<int>(program.instructions.size());
  }

  template <class Visit>
  static void for_each_operand(const TileInstruction& instruction, Visit&& visit) {
    const int count = operand_count(instruction.op);
    if (count > 0) visit(instruction.a);
    if (count > 1) visit(instruction.b);
    if (count > 2) visit(instruction.c);
  }

  int of(int reg) const { return std::max(0, assigned_[static_cast<size_t>(reg)]); }

  int assign(int reg) {
    int& place = assigned_[static_cast<size_t>(reg)];
    if (place >= 0) return place;
    const auto free = std::find(taken_.begin(), taken_.end(), false);
    place = static_cast<int>(free - taken_.begin());
    if (free == taken_.end()) taken_.push_back(false);
    taken_[static_cast<size_t>(place)] = true;
    return place;
  }

  void release_after(int instruction, int reg) {
    if (last_use_[static_cast<size_t>(reg)] <= instruction)
      taken_[static_cast<size_t>(of(reg))] = false;
  }

  int count() const { return static_cast<int>(taken_.size()); }

 private:
  std::vector<int> last_use_;
  std::vector<int> assigned_;
  std::vector<bool> taken_;
};

}  // namespace

int64_t tile_workspace(const TileProgram& program, int threads) {
  return threads * program.registers * tile_floats * static_cast<int64_t>(sizeof(float));
}

void run_tiles(const TileProgram& program, int64_t count, std::span<const void* const> inputs,
               std::span<const uint64_t> keys, std::span<void* const> outputs, void* workspace,
               ThreadPool& threads) {
  constexpr int64_t piece_floats = tiles_per_piece * tile_floats;
  threads.run(divide_up(count, piece_floats), [&](int64_t piece, int thread) {
    float* registers = static_cast<float*>(workspace) + thread * program.registers * tile_floats;
    const int64_t end = std::min(count, (piece + 1) * piece_floats);
    for (int64_t first = piece * piece_floats; first < end; first += tile_floats)
      run_tile(program, first, std::min(tile_floats, end - first), {inputs, keys, outputs},
               registers);
  });
}

// Needs a program that writes each register once.
TileProgram with_few_registers(const TileProgram& program) {
  TileProgram result = program;
  RegisterAssignment registers(program);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    result.inputs[i].reg = registers.assign(program.inputs[i].reg);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const TileInstruction& from = program.instructions[i];
    TileInstruction& to = result.instructions[i];
    to.a = registers.of(from.a), to.b = registers.of(from.b), to.c = registers.of(from.c);
    RegisterAssignment::for_each_operand(
        from, [&](int reg) { registers.release_after(static_cast<int>(i), reg); });
    to.to = registers.assign(from.to);
    registers.release_after(static_cast<int>(i), from.to);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i)
    result.outputs[i].reg = registers.of(program.outputs[i].reg);
  result.registers = registers.count();
  return result;
}

}  // namespace hornbeam
