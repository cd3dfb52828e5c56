// Type rules that several ops share. All throw H701 with what was expected and what was received.
#pragma once

#include <concepts>
#include <string>

#include "ir/op.h"

namespace hornbeam {

[[noreturn]] void refuse_types(const std::string& message);
// Every pass checks every node, so a message that takes work is made only when it is needed: by
// what is called for it.
template <class Message>
void require_types(bool condition, const Message& message) {
  if (condition) return;
  if constexpr (std::invocable<Message>)
    refuse_types(message());
  else
    refuse_types(message);
}
void require_operands(const OpUse& use, size_t count);

Types same_floating(const OpUse& use);       // one operand of floats
Types same_numeric(const OpUse& use);        // one operand, not bool
Types same_pair(const OpUse& use);           // two operands of one type, not bool
Types same_floating_pair(const OpUse& use);  // two operands of one type of floats
Types same_bits(const OpUse& use);           // one operand of integers or bool
Types same_bits_pair(const OpUse& use);      // two operands of one type, integers or bool
Types same_integer_pair(const OpUse& use);   // two operands of one type of integers

// Every entry of `axes` is an axis of a tensor of that rank, none twice.
void require_axes(const Integers& axes, int64_t rank, const std::string& what);
Integers axes_but(int64_t left_out, int64_t rank);  // all axes of a tensor of that rank but one
// The length of `extent` cells that lie `step` apart, and the sum of lengths of either sign; what
// would reach 2^62 is refused.
int64_t dilated(int64_t extent, int64_t step);
int64_t length_sum(std::initializer_list<int64_t> lengths);
bool is_integer(DType dtype);
bool is_index(DType dtype);  // int32 or int64

}  // namespace hornbeam
