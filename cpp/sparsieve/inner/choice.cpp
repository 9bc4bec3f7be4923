#include "sparsieve/inner/choice.hpp"

#include <algorithm>

#include "sparsieve/inner/column_descent.hpp"
#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
// Prices: which solver runs, never what is certified.
// Working sets up to this size do not give their Gram matrix up, beyond the other they never have one.
constexpr Index kSmallSet = 64;
constexpr Index kLargeSet = 4000;
// Columns may pay when the support has this many features for each stored entry of a column.
constexpr double kPerEntry = 4.0;
// Reading more entries than this for one alpha, per square of the support, costs more than a Gram matrix.
// A Newton step takes one product with its factor, or a dozen where the penalty is curved.
constexpr double kGramPrice = 60.0;
constexpr double kBentPrice = 250.0;
// From a start the solve goes through many more features than stay: the matrix grows by all of them.
constexpr double kPriceFromStart = 4.0;
// After so many epochs this factor is not used any more: descent over columns makes too little progress.
constexpr Index kPatience = 2000;
constexpr double kVisit = 10.0;  // what visiting a column costs besides its entries
// While features outside violate, the working set is solved to this share of what they violate by.
constexpr double kRough = 0.1;

// Stored entries, from their bytes (an index and a value each).
double entries(Bytes bytes) { return static_cast<double>(bytes) / 12.0; }

// Whether so many bytes read and epochs made have taken longer than a Gram matrix would have.
bool gram_would_pay(const Inputs& inputs, const State& state, Bytes bytes, Index epochs,
                    double price) {
  const double k = static_cast<double>(state.point.support.size());
  const double m = static_cast<double>(state.size());
  // With far more features than samples the matrix would be singular.
  const bool sound = static_cast<Index>(state.point.support.size()) <= 2 * inputs.design->n();
  const double spent = entries(bytes) + kVisit * m * static_cast<double>(epochs);
  return sound && spent > price * k * k && state.size() > kSmallSet && state.size() <= kLargeSet;
}
}  // namespace

// Whether an epoch over the columns is much cheaper than a product with the Gram matrix. Whether fewer
// such products are needed is another matter: that is tried, once.
bool Choice::columns_pay(const Inputs& inputs, const State& state) const {
  if (state.size() <= kSmallSet || state.set.is_shared()) return false;
  if (state.size() > kLargeSet) return true;
  const double d = static_cast<double>(inputs.design->d());
  const double per_column = entries(inputs.design->bytes()) / d;
  return gram_left_ == 0 &&
         static_cast<double>(state.point.support.size()) > kPerEntry * per_column;
}

void Choice::choose(const Inputs& inputs, State& state) const {
  if (state.set.has_gram() && columns_pay(inputs, state)) leave_gram(state);
}

Status Choice::minimise(const Inputs& inputs, const Levels& levels, State& state, double target,
                        Progress& progress) {
  while (!state.set.has_gram()) {
    ColumnDescent columns(inputs, levels, state);
    columns.give_up_when([&](Bytes bytes, Index epochs, bool bends) {
      const bool dear = from_start_ && epochs < kPatience;
      const double price = (bends ? kBentPrice : kGramPrice) * (dear ? kPriceFromStart : 1.0);
      return gram_would_pay(inputs, state, bytes, epochs, price);
    });
    const Status ended = columns.minimise(target, progress);
    if (!columns.gave_up()) return ended;
    // The columns took longer than a Gram matrix would have: have it again and keep it for some alphas,
    // for more of them each time.
    gram_left_ = gram_term_;
    gram_term_ *= 2;
    if (!return_to_gram(inputs, state)) return Status::kInterrupted;
  }
  return GramNewton(inputs, levels, state, arrays_).minimise(target, progress);
}

double target_of_round(const State& state, double exact, double outside, bool rough) {
  return state.set.has_gram() && !rough ? exact : std::max(exact, kRough * outside);
}

void Choice::prune(const Inputs& inputs, const Levels& levels, State& state, double allowed,
                   Progress& progress) {
  if (state.set.has_gram()) {
    GramNewton(inputs, levels, state, arrays_).prune(allowed, progress);
  } else {
    ColumnDescent(inputs, levels, state).prune(allowed, progress);
  }
}

}  // namespace sparsieve
