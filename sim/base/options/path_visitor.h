// A visitor that knows where it is: the base of the visitors that work by path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/option_fields.h"

namespace lapforge {

class PathVisitor : public FieldVisitor {
 protected:
  /// Path of a field called `name` in the current group.
  std::string PathOf(std::string_view name) const { return StrCat(prefix_, name); }

  size_t depth() const { return prefix_sizes_.size(); }

  void OnBegin(std::string_view group) override {
    prefix_sizes_.push_back(prefix_.size());
    prefix_ += StrCat(group, ".");
  }

  void OnEnd() override {
    prefix_.resize(prefix_sizes_.back());
    prefix_sizes_.pop_back();
  }

 private:
  std::string prefix_;  // "ppo.net." inside the group ppo.net
  std::vector<size_t> prefix_sizes_;
};

}  // namespace lapforge
