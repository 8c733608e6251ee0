#include "study/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/figures.hpp"
#include "study/runs.hpp"

namespace sconet::study {
namespace {

// Neither the luckiest nor the unluckiest network: the one with the median test RMSE (the lower of two).
const Run& typical(const Cell& cell) {
  std::vector<const Run*> runs;
  runs.reserve(cell.runs.size());
  for (const Run& run : cell.runs) runs.push_back(&run);
  std::stable_sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) { return a->test.rmse < b->test.rmse; });
  return *runs[(runs.size() - 1) / 2];
}

class Gallery {
 public:
  Gallery(const Results& results, const std::vector<StudySet>& sets) : results_(results), sets_(sets) {}

  std::vector<Figure> all() {
    if (results_.cells.size() > results_.sets.size()) figures_.push_back(test_errors(results_));
    figures_.push_back(training_diagram());
    figures_.push_back(demand_curves());
    if (results_.find("DB1", "rmpi") != nullptr) {
      approximations_of("fig3", "What the networks make of DB1", {"rmpi", "scn3", "rvfl:range=1", "mlp"});
      curves("fig4", "Training error on DB1", {"DB1"}, {"rmpi", "scn3"});
      weights();
    }
    figures_.push_back(derivatives());
    approximations_of("fig7", "RVFL on DB1 with weights from (-60, 60)", {"rvfl:range=60"});
    curves("fig8", "Training error as the networks grow", {"DB4", "DB6"}, {"irvfl", "rmpi", "scn3"});
    curves("fig9", "Training error as the networks grow", {"DB7", "DB8"}, {"irvfl", "rmpi", "scn3"});
    curves("curves", "Training error as the networks grow", others(), {"irvfl", "rmpi", "scn3"});
    return std::move(figures_);
  }

 private:
  // Sets that no figure of the paper shows, but that need one if there is no other.
  std::vector<std::string> others() const {
    std::vector<std::string> ids;
    for (const SetInfo& set : results_.sets)
      if (!(set.id.starts_with("DB") && known_set(set.id) != nullptr) && ids.size() < 4) ids.push_back(set.id);
    return ids;
  }

  const StudySet& set(std::string_view id) const {
    return *std::find_if(sets_.begin(), sets_.end(), [&](const StudySet& s) { return s.info.id == id; });
  }

  void approximations_of(const std::string& id, const std::string& title, const std::vector<std::string>& methods) {
    std::vector<MethodValues> predicted;
    std::vector<double> x, y;
    for (const std::string& method : methods) {
      const Cell* cell = results_.find("DB1", method);
      if (cell == nullptr) continue;
      const StudySet& db1 = set("DB1");
      const Eigen::MatrixXd values = repeat(db1, key(typical(*cell))).predict(db1.table);
      predicted.push_back({method, results_.method(method).title, {values.data(), values.data() + values.size()}});
      x = db1.table.columns.front().numbers;
      y = db1.table.columns.back().numbers;
    }
    if (!predicted.empty()) figures_.push_back(approximations(id, title, x, y, predicted));
  }

  void weights() {
    std::vector<MethodValues> drawn;
    for (const char* method : {"rmpi", "scn3"}) {
      const Cell* cell = results_.find("DB1", method);
      if (cell == nullptr) continue;
      const Eigen::MatrixXd W = repeat(set("DB1"), key(typical(*cell))).network().weights();
      drawn.push_back({method, results_.method(method).title, {W.data(), W.data() + W.size()}});
    }
    figures_.push_back(weight_histograms(drawn));
  }

  // Of the first run.
  void curves(const std::string& id, const std::string& title, const std::vector<std::string>& sets,
              const std::vector<std::string>& methods) {
    std::vector<ErrorPanel> panels;
    for (const std::string& of : sets) {
      ErrorPanel panel;
      for (const std::string& method : methods) {
        const Cell* cell = results_.find(of, method);
        if (cell == nullptr || cell->runs.front().curve.empty()) continue;
        const SetInfo& info = results_.set(of);
        panel.title = info.title.empty() || info.title == of ? of : of + ' ' + info.title;
        panel.y_title = info.unit.empty() ? "training RMSE" : fmt::format("training RMSE ({})", info.unit);
        panel.methods.push_back({method, results_.method(method).title, cell->runs.front().curve});
      }
      if (!panel.methods.empty()) panels.push_back(std::move(panel));
    }
    if (!panels.empty()) figures_.push_back(error_curves(id, title, panels));
  }

  const Results& results_;
  const std::vector<StudySet>& sets_;
  std::vector<Figure> figures_;
};

}  // namespace

std::vector<Figure> paper_figures(const Results& results, const std::vector<StudySet>& sets) {
  return Gallery(results, sets).all();
}

}  // namespace sconet::study
