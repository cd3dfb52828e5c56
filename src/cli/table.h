// Text in columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hornbeam {

using TableRow = std::vector<std::string>;

// Each column as wide as its widest entry; `alignment` has '<' or '>' for each. The first row is
// the heading.
std::string table_text(std::string_view alignment, const std::vector<TableRow>& rows);

// Numbers as such tables show them.
std::string milliseconds_text(double seconds);         // "12.345"
std::string share_text(double part, double whole);     // "12.3 %"
std::string rate_text(double amount, double seconds);  // in billions a second; "" for nothing
std::string giga_text(double operations);              // "1.234"
std::string three_digits_text(double number);          // "0.0123", "12.3", "1,234"
std::string mebi_text(double bytes);                   // "1.23"

}  // namespace hornbeam
