// The rows of a sweep as text and as CSV. There is one at least.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace hornbeam {

// Adds the article's figures to the row of a cell that it measured as well; null elsewhere and
// where it ran out of memory.
void add_article(Json& row);

// The cells that ran; below, why others did not.
std::string sweep_text(const std::vector<Json>& rows);
// The keys of the rows, then one line a row: texts as they are (RFC 4180), nothing for null.
std::string sweep_csv(const std::vector<Json>& rows);

}  // namespace hornbeam
