// Small helpers for messages: nearest names, byte counts, thousands, names as they may be shown.
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

// "did you mean 'Adam'?", or `otherwise` when no candidate is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates,
                         std::string otherwise = "");

// The fewest digits that give the number back; NaN is "nan", whatever its sign.
std::string number_text(double number);
std::string number_text(float number);

// With control characters written out ("\\x1b", "\\n"): what comes from a file must not move the
// cursor of a terminal, nor look like a line of ours. `kept` stays as it is.
std::string printable(std::string_view text, std::string_view kept = "");

std::string bytes_text(uint64_t bytes);                       // "1.50 GiB", "12 B"
std::string thousands(int64_t number);                        // "3,491,082"
std::string counted(int64_t number, std::string_view thing);  // "1 step", "3,125 steps"
std::string join(std::span<const std::string> parts, std::string_view separator);

}  // namespace hornbeam
