// docs/keras-support.md lists what there is, no more and no less.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/files.h"
#include "nn/activations.h"
#include "nn/layer.h"
#include "nn/loss.h"
#include "nn/metric.h"
#include "nn/optimizer.h"

namespace hornbeam {
namespace {

using Names = std::set<std::string, std::less<>>;

// The page from the heading to the next one.
std::string section(const std::string& heading) {
  std::string page = read_text(HORNBEAM_TESTS_FOLDER "/../docs/keras-support.md");
  size_t begin = page.find("\n## " + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

Names found(const std::string& text, const char* pattern) {
  const std::regex name(pattern);
  Names names;
  for (auto each = std::sregex_iterator(text.begin(), text.end(), name);
       each != std::sregex_iterator(); ++each)
    names.insert(each->str(1));
  return names;
}

constexpr const char* first_of_a_row = "\n\\| `(\\w+)` \\|";
constexpr const char* anywhere = "`(\\w+)`";

template <class Base>
Names names_of(const ObjectTable<Base>& table) {
  Names names;
  for (const ObjectRow<Base>& row : table.rows) names.emplace(row.class_name);
  return names;
}

TEST(SupportPage, ListsEveryClass) {
  EXPECT_EQ(found(section("Layers"), first_of_a_row), names_of(layers()));
  EXPECT_EQ(found(section("Optimizers"), first_of_a_row), names_of(optimizers()));
  EXPECT_EQ(found(section("Losses"), first_of_a_row), names_of(losses()));
  EXPECT_EQ(found(section("Metrics"), first_of_a_row), names_of(metrics()));
  EXPECT_EQ(found(section("Initializers"), anywhere), names_of(initializers()));
  EXPECT_EQ(found(section("Regularizers"), anywhere), names_of(regularizers()));
  EXPECT_EQ(found(section("Constraints"), anywhere), names_of(constraints()));
}

TEST(SupportPage, ListsEveryActivationOfKeras3) {
  Names names(activation_names().begin(), activation_names().end());
  names.erase("legacy_hard_sigmoid");
  EXPECT_EQ(found(section("Activations"), anywhere), names);
}

}  // namespace
}  // namespace hornbeam
