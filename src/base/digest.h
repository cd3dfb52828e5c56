// SHA-256, by OpenSSL.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hornbeam {

class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);
  // Of all that was added, as hexadecimal digits in lower case. Called once.
  std::string hexadecimal();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view bytes);

}  // namespace hornbeam
