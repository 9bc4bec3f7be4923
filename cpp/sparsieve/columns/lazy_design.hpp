// A design that is made, with its pass over X, when it is first asked for. Who asks first may give a
// residual, whose correlations come from the same pass.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

class LazyDesign {
 public:
  LazyDesign(std::shared_ptr<const Storage> storage, SampleWeights weights, int threads,
             ShadowUse shadow_use, Scaling scaling = Scaling::kAsStored, StandIn stands_for = {})
      : storage_(std::move(storage)),
        weights_(std::move(weights)),
        threads_(threads),
        shadow_use_(shadow_use),
        scaling_(scaling),
        stands_for_(std::move(stands_for)) {}

  Index n() const { return storage_->n(); }
  Index d() const { return storage_->d(); }
  const SampleWeights& weights() const { return weights_; }
  // `correlations` are filled only if nobody has asked for the design before.
  std::shared_ptr<const Design> measured(const Weighted* r = nullptr,
                                         std::vector<double>* correlations = nullptr) {
    const std::lock_guard<std::mutex> guard(*mutex_);
    if (!design_) {
      design_ = std::make_shared<Design>(storage_, weights_, threads_, shadow_use_, r, correlations,
                                         scaling_, stands_for_);
    }
    return design_;
  }

 private:
  std::shared_ptr<const Storage> storage_;
  SampleWeights weights_;
  int threads_;
  ShadowUse shadow_use_;
  Scaling scaling_;
  StandIn stands_for_;
  std::shared_ptr<std::mutex> mutex_ =
      std::make_shared<std::mutex>();  // several threads may ask first
  std::shared_ptr<const Design> design_;
};

}  // namespace sparsieve
