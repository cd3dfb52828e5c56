#include "backends/cpu/kernels/tile_schedule.h"

#include <algorithm>
#include <numeric>

namespace hornbeam {
namespace {

int operand_count(TileOp op) {
  if (op < TileOp::add) return 1;
  if (op < TileOp::select) return 2;
  return op == TileOp::select ? 3 : 0;
}

template <class Visit>
void for_each_operand(const TileInstruction& instruction, Visit&& visit) {
  const int count = operand_count(instruction.op);
  if (count > 0) visit(instruction.a);
  if (count > 1) visit(instruction.b);
  if (count > 2) visit(instruction.c);
}

bool is_random(TileOp op) { return op == TileOp::uniform || op == TileOp::keep_mask; }

// --- the length of a tile ---

// The longest tile that is a multiple of `unit` and of these lengths, 0 when it is too long.
int64_t tile_of(int64_t unit, std::span<const int64_t> lengths) {
  for (int64_t length : lengths)
    if (unit <= tile_floats) unit = std::lcm(unit, length);
  return unit > tile_floats ? 0 : tile_floats / unit * unit;
}

// Whole rows: those of sums, and of operands that repeat where these are short enough; else whole
// vectors, else an even number, because random numbers come in pairs.
struct TileLength {
  int64_t tile;
  bool rows_repeat;
};

TileLength tile_length(const TileProgram& program) {
  std::vector<int64_t> sums, rows;
  for (const TileOutput& output : program.outputs)
    if (output.columns > 0) sums.push_back(output.columns);
  rows = sums;
  for (const TileInput& input : program.inputs)
    if (input.access == TileAccess::row) rows.push_back(input.extent);
  for (int64_t unit : {16, 2})
    if (int64_t tile = tile_of(unit, rows)) return {tile, true};
  for (int64_t unit : {16, 2, 1})
    if (int64_t tile = tile_of(unit, sums)) return {tile, false};
  return {tile_floats, false};
}

// --- what is done once ---

std::vector<bool> constant_registers(const TileProgram& program, bool rows_repeat) {
  std::vector<bool> constant(static_cast<size_t>(program.registers), false);
  for (const TileInput& input : program.inputs)
    constant[static_cast<size_t>(input.reg)] =
        input.access == TileAccess::scalar || (input.access == TileAccess::row && rows_repeat);
  for (const TileInstruction& each : program.instructions) {
    bool all = !is_random(each.op);
    for_each_operand(each, [&](int reg) { all &= constant[static_cast<size_t>(reg)]; });
    constant[static_cast<size_t>(each.to)] = all;
  }
  return constant;
}

void move_constant_work(TileProgram& program, const std::vector<bool>& constant) {
  for (TileInput& input : program.inputs) input.once = constant[static_cast<size_t>(input.reg)];
  std::vector<TileInstruction> repeated;
  for (const TileInstruction& each : program.instructions)
    (constant[static_cast<size_t>(each.to)] ? program.once : repeated).push_back(each);
  program.instructions = std::move(repeated);
}

// --- operands and results where they are ---

// A result may be the memory of an operand: nothing may be read there after the result is written.
void mark_direct(TileProgram& program) {
  for (TileInput& input : program.inputs) {
    bool read_at_the_end =
        std::any_of(program.outputs.begin(), program.outputs.end(),
                    [&](const TileOutput& output) { return output.reg == input.reg; });
    input.direct =
        input.access == TileAccess::contiguous && input.dtype == DType::float32 && !read_at_the_end;
  }
  if (program.instructions.empty()) return;
  for (TileOutput& output : program.outputs)
    if (output.columns == 0 && output.dtype == DType::float32 &&
        output.reg == program.instructions.back().to) {
      output.direct = true;
      return;
    }
}

// --- registers ---

// Gives registers out anew, lowest free one first, and takes them back after their last use.
class RegisterAssignment {
 public:
  explicit RegisterAssignment(const TileProgram& program)
      : last_use_(static_cast<size_t>(program.registers), 0),
        assigned_(static_cast<size_t>(program.registers), -1),
        once_(program.once.size()),
        keeps_(static_cast<size_t>(program.registers), false) {
    visit_uses(program);
    const size_t end = program.once.size() + program.instructions.size();
    for (const TileOutput& output : program.outputs) use(output.reg, end);
    for (const TileInput& input : program.inputs) keep(input.reg, input.direct || input.once);
    for (const TileInstruction& each : program.once) keep(each.to, true);
    for (const TileOutput& output : program.outputs) keep(output.reg, output.direct);
  }

  int of(int reg) const { return std::max(0, assigned_[static_cast<size_t>(reg)]); }

  int assign(int reg) {
    int& place = assigned_[static_cast<size_t>(reg)];
    if (place >= 0) return place;
    auto free = std::find(taken_.begin(), taken_.end(), false);
    // A register that keeps its place must not have been another's.
    if (keeps_[static_cast<size_t>(reg)]) free = taken_.end();
    place = static_cast<int>(free - taken_.begin());
    if (free == taken_.end()) taken_.push_back(false);
    taken_[static_cast<size_t>(place)] = true;
    return place;
  }

  void release_after(size_t time, int reg) {
    if (last_use_[static_cast<size_t>(reg)] <= time && !keeps_[static_cast<size_t>(reg)])
      taken_[static_cast<size_t>(of(reg))] = false;
  }

  int count() const { return static_cast<int>(taken_.size()); }

 private:
  void visit_uses(const TileProgram& program) {
    size_t time = 0;
    for (const auto* list : {&program.once, &program.instructions})
      for (const TileInstruction& each : *list) {
        for_each_operand(each, [&](int reg) { use(reg, time); });
        ++time;
      }
  }
  void use(int reg, size_t time) { last_use_[static_cast<size_t>(reg)] = time; }
  // Direct and constant registers are nobody else's; a constant that only other constants need is
  // free for the tiles.
  void keep(int reg, bool wanted) {
    if (wanted && last_use_[static_cast<size_t>(reg)] >= once_)
      keeps_[static_cast<size_t>(reg)] = true;
  }

  std::vector<size_t> last_use_;
  std::vector<int> assigned_;
  size_t once_;
  std::vector<bool> keeps_;
  std::vector<bool> taken_;
};

TileProgram with_few_registers(const TileProgram& program) {
  TileProgram result = program;
  RegisterAssignment registers(program);
  for (TileInput& input : result.inputs)
    if (input.once) input.reg = registers.assign(input.reg);
  size_t time = 0;
  auto rename = [&](std::vector<TileInstruction>& instructions) {
    for (TileInstruction& each : instructions) {
      const TileInstruction from = each;
      each.a = registers.of(from.a), each.b = registers.of(from.b), each.c = registers.of(from.c);
      for_each_operand(from, [&](int reg) { registers.release_after(time, reg); });
      each.to = registers.assign(from.to);
      registers.release_after(time++, from.to);
    }
  };
  rename(result.once);
  for (TileInput& input : result.inputs)
    if (!input.once) input.reg = registers.assign(input.reg);
  rename(result.instructions);
  for (TileOutput& output : result.outputs) output.reg = registers.of(output.reg);
  result.registers = registers.count();
  return result;
}

}  // namespace

TileProgram scheduled(const TileProgram& program) {
  TileProgram result = program;
  const TileLength length = tile_length(program);
  result.tile = length.tile;
  move_constant_work(result, constant_registers(result, length.rows_repeat));
  mark_direct(result);
  return with_few_registers(result);
}

}  // namespace hornbeam
