// Small helpers for messages: nearest names, byte counts, thousands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hornbeam {

// The candidate with the smallest edit distance to `name`; empty when none is close (more than half
// of the letters differ).
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

std::string bytes_text(uint64_t bytes);  // "1.50 GiB", "12 B"
std::string thousands(int64_t number);   // "3,491,082"
std::string join(std::span<const std::string> parts, std::string_view separator);

}  // namespace hornbeam
