// Paired comparisons against figures worked out by hand, and verdicts for results that are made up.

#include "study/claims.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sconet::study {
namespace {

double test_rmse(const Run& run) { return run.test.rmse; }

Cell cell(const std::string& set, const std::string& method, const std::vector<double>& rmse, double seconds = 1) {
  Cell c;
  c.set = set;
  c.method = method;
  std::int64_t k = 0;
  for (const double value : rmse) {
    Run run;
    run.set = set;
    run.method = method;
    run.run = ++k;
    run.train.rows = 60;
    run.test.rows = 20;
    run.train.rmse = run.test.rmse = value;
    run.test.r2 = 1 - value;
    run.seconds = seconds;
    run.nodes = 10;
    c.runs.push_back(run);
  }
  c.train_rmse = c.test_rmse = spread(rmse);
  c.seconds = {seconds, 0};
  c.nodes = {10, 0};
  return c;
}

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& c : claims)
    if (c.id == id) return c;
  throw std::runtime_error("no claim " + id);
}

TEST(Paired, IsTheCorrectedResampledTTest) {
  const Cell a = cell("DB1", "rmpi", {1, 2, 3, 4}), b = cell("DB1", "scn3", {2, 2.5, 5, 4.5});
  const Paired paired = compare(a, b, test_rmse);
  EXPECT_EQ(paired.runs, 4);
  EXPECT_EQ(paired.lower, 4);
  EXPECT_DOUBLE_EQ(paired.mean, -1);
  const double s = std::sqrt((0 + 0.25 + 1 + 0.25) / 3);  // of the differences -1, -0.5, -2, -0.5
  EXPECT_NEAR(paired.reach, 3.182446305 * s * std::sqrt(1.0 / 4 + 20.0 / 60), 1e-8);
  EXPECT_FALSE(paired.clearly_lower());
}

TEST(Paired, UsesOnlyRunsThatBothHave) {
  Cell a = cell("DB1", "rmpi", {1, 2, 3}), b = cell("DB1", "scn3", {5, 5, 5});
  b.runs.erase(b.runs.begin());
  const Paired paired = compare(a, b, test_rmse);
  EXPECT_EQ(paired.runs, 2);
  EXPECT_DOUBLE_EQ(paired.mean, -2.5);
  b.runs.clear();
  EXPECT_EQ(compare(a, b, test_rmse).runs, 0);
}

TEST(TQuantile, AgainstTables) {
  // Student's t at 0.975, as every table has it.
  for (const auto& [n, t] : {std::pair{1, 12.7062},
                             {2, 4.3027},
                             {4, 2.7764},
                             {5, 2.5706},
                             {9, 2.2622},
                             {30, 2.0423},
                             {99, 1.9842},
                             {1000, 1.9623}})
    EXPECT_NEAR(t_quantile_975(n), t, 2e-3) << n;
}

// Ten runs around a value, with that relative spread.
std::vector<double> around(double value, double spread) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(value * (1 + spread * (i % 3 - 1)));
  return values;
}

Results ten_sets(double rmpi, double scn3) {
  Results results;
  results.methods = {{"rmpi", "RMPI-SCN"}, {"scn3", "SCN-III"}, {"rvfl", "RVFL"}, {"mlp", "MLP-BP"}};
  for (int i = 1; i <= 10; ++i) {
    const std::string id = "DB" + std::to_string(i);
    results.sets.push_back({id, "", "", 1, 60, 20, 20, {}});
    results.cells.push_back(cell(id, "rmpi", around(rmpi, 0.01), 1.5));
    results.cells.push_back(cell(id, "scn3", around(scn3, 0.01)));
    results.cells.push_back(cell(id, "rvfl", around(3, 0)));
    results.cells.push_back(cell(id, "mlp", around(3, 0.3)));
  }
  return results;
}

TEST(Claims, HoldWhereTheRunsSaySo) {
  const std::vector<Claim> claims = check_claims(ten_sets(1, 2));
  EXPECT_EQ(claim(claims, "trains-lower").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "trains-lower").evidence.size(), 10U);
  EXPECT_EQ(claim(claims, "trains-lower").finding, "Lower on 10 of 10 sets, clearly so (95 % interval) on 10.");
  EXPECT_EQ(claim(claims, "tests-lower").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "steadier").verdict, Verdict::holds);
}

TEST(Claims, DoNotHoldWhereTheyDoNot) {
  const std::vector<Claim> claims = check_claims(ten_sets(4, 2));
  EXPECT_EQ(claim(claims, "trains-lower").verdict, Verdict::does_not_hold);
  EXPECT_EQ(claim(claims, "tests-lower").verdict, Verdict::does_not_hold);
}

TEST(Claims, LowerButNotClearlyIsInPart) {
  Results results = ten_sets(1, 2);
  for (Cell& c : results.cells)
    if (c.method == "scn3") c = cell(c.set, "scn3", around(1.3, 0.9));  // lower in the mean, but not by the interval
  const std::vector<Claim> claims = check_claims(results);
  EXPECT_EQ(claim(claims, "trains-lower").verdict, Verdict::holds_in_part);
  EXPECT_EQ(claim(claims, "tests-lower").verdict, Verdict::holds_in_part);
  EXPECT_EQ(claim(claims, "steadier").verdict, Verdict::holds_in_part);  // SCN-III is less steady than MLP-BP here
}

TEST(Claims, CostIsMeasuredBothWays) {
  Results results = ten_sets(1, 2);  // 1.5 times
  EXPECT_EQ(claim(check_claims(results), "cost").verdict, Verdict::holds);
  const auto with_seconds = [&](double all, double first) {
    for (Cell& c : results.cells)
      if (c.method == "rmpi") c.seconds = {c.set == "DB1" ? first : all, 0};
    return claim(check_claims(results), "cost").verdict;
  };
  EXPECT_EQ(with_seconds(1.5, 5), Verdict::holds_in_part);
  EXPECT_EQ(with_seconds(3, 3), Verdict::does_not_hold);
  EXPECT_EQ(with_seconds(0.5, 0.5), Verdict::does_not_hold);
}

TEST(Claims, ThePapersFiguresAreReachedWithItsNodes) {
  Results results = ten_sets(1, 2);
  for (Cell& c : results.cells)
    if (c.method == "rmpi") c.paper = PaperRow{{1.1, 0}, {}, {1.1, 0}, {}, {}, 10};
  EXPECT_EQ(claim(check_claims(results), "figures-reached").verdict, Verdict::holds);
  for (Cell& c : results.cells)
    if (c.method == "rmpi") c.paper->train_rmse.mean = 0.9;
  EXPECT_EQ(claim(check_claims(results), "figures-reached").verdict, Verdict::holds_in_part);
  for (Cell& c : results.cells)
    if (c.method == "rmpi") c.nodes.mean = 11;  // more than the paper's
  EXPECT_EQ(claim(check_claims(results), "figures-reached").verdict, Verdict::does_not_hold);
}

TEST(Claims, FewRunsOrOtherFilesAreNoTest) {
  Results few = ten_sets(1, 2);
  for (Cell& c : few.cells) c.runs.resize(9);
  for (const Claim& c : check_claims(few)) EXPECT_EQ(c.verdict, Verdict::not_tested) << c.id;
  Results altered = ten_sets(1, 2);
  altered.sets[2].notes = {"it is not the file of the catalogue"};
  EXPECT_EQ(claim(check_claims(altered), "trains-lower").verdict, Verdict::not_tested);
  EXPECT_EQ(claim(check_claims(altered), "trains-lower").evidence.size(), 9U);
}

TEST(Claims, NeedTheirSetsAndMethods) {
  for (const Claim& c : check_claims({})) {
    EXPECT_EQ(c.verdict, Verdict::not_tested) << c.id;
    EXPECT_TRUE(c.finding.starts_with("Not tested: ")) << c.finding;
  }
  // On some sets only: what is seen is said, but it is no verdict on ten.
  Results few = ten_sets(1, 2);
  few.cells.resize(8);
  const std::vector<Claim> claims = check_claims(few);
  EXPECT_EQ(claim(claims, "trains-lower").verdict, Verdict::not_tested);
  EXPECT_EQ(claim(claims, "trains-lower").finding, "Lower on 2 of 2 sets, clearly so (95 % interval) on 2.");
}

TEST(Claims, NodesAreComparedAtEqualError) {
  Results results;
  results.sets = {{"DB4", "", "", 1, 60, 20, 20, {}}};
  Cell rmpi = cell("DB4", "rmpi", around(1, 0)), scn3 = cell("DB4", "scn3", around(2, 0));
  for (auto& run : rmpi.runs) run.curve = {9, 5, 2, 1};
  for (auto& run : scn3.runs) run.curve = {9, 8, 7, 6, 2};
  results.cells = {rmpi, scn3};
  EXPECT_EQ(claim(check_claims(results), "fewer-nodes").verdict, Verdict::holds);
  results.cells[1].runs[3].train.rmse = 0.5;  // there it never gets
  const std::vector<Claim> claims = check_claims(results);
  EXPECT_EQ(claim(claims, "fewer-nodes").verdict, Verdict::holds_in_part);
  EXPECT_EQ(
      claim(claims, "fewer-nodes").finding,
      "In 9 of the first 10 runs RMPI-SCN reaches the training RMSE of SCN-III's network, with 2 nodes on average "
      "against 10.");
  for (Cell& c : results.cells)
    for (auto& run : c.runs) run.curve.clear();
  EXPECT_EQ(claim(check_claims(results), "fewer-nodes").verdict, Verdict::not_tested);
}

TEST(Claims, RvflRange) {
  Results results;
  results.sets = {{"DB1", "", "", 1, 60, 20, 20, {}}};
  results.cells = {cell("DB1", "rvfl:range=1", around(0.5, 0.1)), cell("DB1", "rvfl:range=60", around(0.002, 0.5))};
  EXPECT_EQ(claim(check_claims(results), "rvfl-range").verdict, Verdict::holds);
  results.cells[1] = cell("DB1", "rvfl:range=60", around(0.5, 0.1));
  EXPECT_EQ(claim(check_claims(results), "rvfl-range").verdict, Verdict::holds_in_part);
}

}  // namespace
}  // namespace sconet::study
