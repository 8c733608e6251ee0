// What the encoder makes of columns, and what it says about those it cannot use.

#include "sconet/encoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sconet/errors.hpp"
#include "support/message.hpp"

namespace sconet {
namespace {

struct Fit {
  Encoder encoder;
  std::vector<std::string> warnings;
};

Fit fit(const Table& table, const EncoderOptions& options = {}, ColumnChoice choice = {.targets = {"y"}}) {
  Fit f;
  f.encoder = Encoder::fit(table, choice, options, all_rows(table), f.warnings);
  return f;
}

Eigen::MatrixXd inputs(const Table& table, const EncoderOptions& options = {}) {
  return fit(table, options).encoder.inputs(table, all_rows(table));
}

using testing::message;

Table table(const std::string& text) { return parse_table(text, "data.csv"); }

TEST(Encoder, UnitInterval) { EXPECT_EQ(inputs(table("a,y\n10,1\n20,2\n14,3\n")), Eigen::Vector3d(0, 1, 0.4)); }

TEST(Encoder, Standard) {
  const Eigen::VectorXd x = inputs(table("a,y\n1,1\n2,2\n6,3\n"), {.scaling = Scaling::standard});
  EXPECT_NEAR(x.mean(), 0, 1e-15);
  EXPECT_NEAR(x.squaredNorm() / 3, 1, 1e-15);
}

TEST(Encoder, None) {
  EXPECT_EQ(inputs(table("a,y\n1,1\n2,2\n6,3\n"), {.scaling = Scaling::none}), Eigen::Vector3d(1, 2, 6));
}

TEST(Encoder, Quantiles) {
  const EncoderOptions options{.scaling = Scaling::quantile};
  const Table t = table("a,y\n1,1\n1000,2\n2,3\n3,4\n4,5\n");
  Eigen::VectorXd wanted(5);
  wanted << 0, 1, 0.25, 0.5, 0.75;
  EXPECT_EQ(inputs(t, options), wanted);
  // Between and beyond what was seen.
  const Encoder encoder = fit(t, options).encoder;
  const Table other = table("a\n1.5\n-7\n9999\n502\n");
  EXPECT_EQ(encoder.inputs(other, all_rows(other)), Eigen::Vector4d(0.125, 0, 1, 0.875));
}

TEST(Encoder, BothIsStandardAndRankSideBySide) {
  const Table t = table("a,b,y\n1,5,1\n1000,6,2\n,7,3\n3,8,4\n4,9,5\n");
  EncoderOptions options{.scaling = Scaling::both, .missing_indicator = true};
  const Fit f = fit(t, options);
  EXPECT_EQ(f.encoder.input_names(), (std::vector<std::string>{"a", "a by rank", "a is missing", "b", "b by rank"}));
  const Eigen::MatrixXd X = f.encoder.inputs(t, all_rows(t));
  ASSERT_EQ(X.cols(), 5);
  options.scaling = Scaling::standard;
  const Eigen::MatrixXd standard = inputs(t, options);
  options.scaling = Scaling::quantile;
  const Eigen::MatrixXd quantile = inputs(t, options);
  EXPECT_EQ(X.col(0), standard.col(0));
  EXPECT_LT((X.col(1) - ((quantile.col(0).array() - 0.5) * std::sqrt(12.0)).matrix()).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(X.col(2), standard.col(1));
  EXPECT_EQ(X.col(3), standard.col(2));
  EXPECT_LT((X.col(4) - ((quantile.col(2).array() - 0.5) * std::sqrt(12.0)).matrix()).cwiseAbs().maxCoeff(), 1e-15);
}

// Evenly spread numbers are the same by value and by rank, up to the width of a row.
TEST(Encoder, RanksAreComparableWithStandardValues) {
  Eigen::MatrixXd values(1000, 2);
  for (Index i = 0; i < 1000; ++i) values.row(i) << static_cast<double>(i * 7 % 1000), static_cast<double>(i);
  const Eigen::MatrixXd X = inputs(make_table(values, {"a", "y"}), {.scaling = Scaling::both});
  EXPECT_LT((X.col(0) - X.col(1)).cwiseAbs().maxCoeff(), 2e-3);
}

TEST(Encoder, ClippedNumbersCountAsTheEdge) {
  const Table t = table("a,y\n0,1\n10,2\n4,3\n"), later = table("a\n-5\n7\n1e9\nNA\n10.2\n");
  const Table edge = table("a\n0\n7\n10\nNA\n10\n");
  for (const char* scaling : {"unit", "standard", "quantile", "both", "none"}) {
    EncoderOptions options{.clip = true};
    set_option(options, "scaling", scaling);
    const Encoder clipped = fit(t, options).encoder;
    options.clip = false;
    const Encoder plain = fit(t, options).encoder;
    EncodeNotes notes;
    EXPECT_EQ(clipped.inputs(later, all_rows(later), &notes), plain.inputs(edge, all_rows(edge))) << scaling;
    EXPECT_EQ(clipped.inputs(t, all_rows(t)), plain.inputs(t, all_rows(t)));
    EXPECT_EQ(notes.columns.at(0).outside, 2);  // 10.2 is near enough
    EXPECT_EQ(notes.sentences().back(),
              "column 'a': 2 of 5 cells outside the training rows' range [0, 10]; predictions there are held at its "
              "edge");
  }
}

TEST(Encoder, NumbersOutsideAreCounted) {
  const Table t = table("a,b,y\n0,0,1\n10,1,2\n");
  const Encoder encoder = fit(t).encoder;
  const auto outside = [&](const std::string& text) {
    const Table later = table(text);
    EncodeNotes notes;
    encoder.inputs(later, all_rows(later), &notes);
    return notes.columns.at(0).outside;
  };
  EXPECT_EQ(outside("a,b\n0,0\n10,1\n"), 0);
  EXPECT_EQ(outside("a,b\n-0.5,0\n10.5,1\n"), 0);
  EXPECT_EQ(outside("a,b\n-0.51,0\n10.51,1\n3,3\n"), 2);
  EncodeNotes none;
  encoder.inputs(t, all_rows(t), &none);
  EXPECT_TRUE(none.sentences().empty());
  // Two parts of a table add up.
  const Table later = table("a,b\n20,0\n1,1\n");
  EncodeNotes notes;
  encoder.inputs(later, std::vector<Index>{0}, &notes);
  encoder.inputs(later, std::vector<Index>{1}, &notes);
  EXPECT_EQ(notes.sentences(), std::vector<std::string>{"column 'a': 1 of 2 cells outside the training rows' range "
                                                        "[0, 10]; predictions there are extrapolated"});
}

TEST(Encoder, ManyColumnsWithNumbersOutsideAreToldTogether) {
  std::vector<std::string> names;
  for (int c = 0; c < 8; ++c) names.push_back("x" + std::to_string(c));
  names.emplace_back("y");
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(2, 9);
  values.row(1).setOnes();
  const Encoder encoder = fit(make_table(values, names)).encoder;
  EncodeNotes notes;
  values *= 7;
  const Table far = make_table(values, names);
  encoder.inputs(far, all_rows(far), &notes);
  ASSERT_EQ(notes.sentences().size(), 6U);
  EXPECT_EQ(notes.sentences().back(), "3 more columns with cells outside the training rows' range");
}

TEST(Encoder, RepeatedValuesLieInTheMiddleOfTheirQuantiles) {
  const Table t = table("a,y\n0,1\n0,2\n0,3\n1,4\n2,5\n");
  Eigen::VectorXd wanted(5);
  wanted << 0.25, 0.25, 0.25, 0.75, 1;
  EXPECT_EQ(inputs(t, {.scaling = Scaling::quantile}), wanted);
}

// Quantiles keep the order of numbers and stay in the unit interval, with fewer knots than values.
RC_GTEST_PROP(Encoder, QuantilesAreMonotone, ()) {
  const auto n = *rc::gen::inRange(2, 200);
  Eigen::MatrixXd values(n, 2);
  for (int i = 0; i < n; ++i) {
    values(i, 0) = *rc::gen::inRange(-50, 50);
    values(i, 1) = i;
  }
  if (values.col(0).maxCoeff() == values.col(0).minCoeff()) RC_DISCARD("constant");
  const Table t = make_table(values, {"a", "y"});
  const Eigen::VectorXd x = inputs(t, {.scaling = Scaling::quantile, .quantiles = 8});
  RC_ASSERT(x.minCoeff() >= 0);
  RC_ASSERT(x.maxCoeff() <= 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (values(i, 0) < values(j, 0)) RC_ASSERT(x[i] <= x[j]);
}

TEST(Encoder, LearnsFromTheRowsItIsGivenAlone) {
  const Table t = table("a,c,y\n0,u,1\n10,v,2\n1000,w,3\n");
  std::vector<std::string> warnings;
  const std::vector<Index> rows = {0, 1};
  const Encoder encoder = Encoder::fit(t, {.targets = {"y"}}, {}, rows, warnings);
  EncodeNotes notes;
  const Eigen::MatrixXd X = encoder.inputs(t, all_rows(t), &notes);
  EXPECT_EQ(X.col(0), Eigen::Vector3d(0, 1, 100));
  EXPECT_EQ(encoder.input_names(), (std::vector<std::string>{"a", "c = u", "c = v"}));
  EXPECT_EQ(X.row(2).tail(2), Eigen::RowVector2d(0, 0));
  EXPECT_EQ(notes.sentences(),
            (std::vector<std::string>{"column 'c': 1 cell with a category that training did not see",
                                      "column 'a': 1 of 3 cells outside the training rows' range [0, 10]; predictions "
                                      "there are extrapolated"}));
  EXPECT_EQ(encoder.targets()[0].offset, 1.5);
}

TEST(Encoder, MissingNumbers) {
  const Table t = table("a,b,y\n0,1,1\n,2,2\n10,3,3\n2,4,4\n");
  EXPECT_EQ(inputs(t)(1, 0), 0.4);                                // the mean, 4
  EXPECT_EQ(inputs(t, {.missing = Missing::median})(1, 0), 0.2);  // 2
  const Fit with = fit(t, {.missing_indicator = true});
  EXPECT_EQ(with.encoder.input_names(), (std::vector<std::string>{"a", "a is missing", "b"}));
  EXPECT_EQ(with.encoder.inputs(t, all_rows(t)).col(1), Eigen::Vector4d(0, 1, 0, 0));
  EXPECT_EQ(message<DataError>([&] { fit(t, {.missing = Missing::refuse}); }),
            "data.csv:3:1: column 'a' has no value here, and missing values are refused (--missing mean or median "
            "fills them in)");
  // A column that was complete in training is filled in too, and counted.
  const Table later = table("a,b\n1,\n,\n1,2\n");
  EncodeNotes notes;
  const Eigen::MatrixXd X = with.encoder.inputs(later, all_rows(later), &notes);
  EXPECT_EQ(X(0, 2), 0.5);
  EXPECT_EQ(notes.sentences(), (std::vector<std::string>{"column 'a': 1 cell without a value filled in",
                                                         "column 'b': 2 cells without a value filled in"}));
}

TEST(Encoder, RefusesMissingNumbersLaterToo) {
  const Encoder encoder = fit(table("a,y\n0,1\n1,2\n"), {.missing = Missing::refuse}).encoder;
  const Table later = table("a\n1\nNA\n");
  EXPECT_EQ(
      message<DataError>([&] { encoder.inputs(later, all_rows(later)); }),
      "data.csv:3:1: column 'a' has no value here, and the model refuses that: remove the row or fill in a number");
}

TEST(Encoder, RefusesMissingTextToo) {
  const EncoderOptions refuse{.missing = Missing::refuse};
  EXPECT_EQ(
      message<DataError>([&] { fit(table("a,c,y\n1,u,1\n2,,2\n3,v,3\n"), refuse); }),
      "data.csv:3:2: column 'c' has no value here, and missing values are refused (--missing mean or median fills "
      "them in)");
  const Table good = table("a,c,y\n1,u,1\n2,u,2\n3,v,3\n"), later = table("a,c\n1,u\n2,\n");
  const Encoder encoder = fit(good, refuse).encoder;
  EXPECT_EQ(
      message<DataError>([&] { encoder.inputs(later, all_rows(later)); }),
      "data.csv:3:2: column 'c' has no value here, and the model refuses that: remove the row or fill in a value");
  EncodeNotes notes;
  fit(good).encoder.inputs(later, all_rows(later), &notes);
  EXPECT_EQ(notes.sentences(),
            std::vector<std::string>{"column 'c': 1 cell without a value, which training did not see"});
}

TEST(Encoder, Categories) {
  const Table t = table("c,y\nred,1\nblue,2\n,3\nred,4\n");
  const Fit f = fit(t);
  EXPECT_EQ(f.encoder.input_names(), (std::vector<std::string>{"c = blue", "c = red", "c is missing"}));
  Eigen::MatrixXd wanted(4, 3);
  wanted << 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0;
  EXPECT_EQ(f.encoder.inputs(t, all_rows(t)), wanted);
}

TEST(Encoder, CategoriesThatLookLikeNumbers) {
  TableOptions text;
  text.types = {{"c", ColumnType::text}};
  const Table t = parse_table("c,y\n01,1\n1,2\n02,3\n", "data.csv", text);
  const Encoder encoder = fit(t).encoder;
  EXPECT_EQ(encoder.input_names(), (std::vector<std::string>{"c = 01", "c = 02", "c = 1"}));
  // Read as the encoder says, the texts are what they were; read without, numbers are compared as they are written.
  const std::string later = "c\n01\n2\n";
  EXPECT_EQ(encoder.inputs(parse_table(later, "", encoder.table_options()), std::vector<Index>{0})(0, 0), 1);
  const Table plain = parse_table(later);
  EXPECT_EQ(encoder.inputs(plain, all_rows(plain)).row(0), Eigen::RowVector3d(0, 0, 1));
}

TEST(Encoder, LevelLimit) {
  const Table t = table("a,c,y\n1,u,1\n2,v,2\n3,w,3\n");
  EXPECT_EQ(message<DataError>([&] { fit(t, {.max_levels = 2}); }),
            "data.csv:2:2: the text column 'c' has 3 distinct values ('u', ...), more than the 2 that are allowed as "
            "categories: ignore it (--ignore), keep it as an identifier (--id) or allow more (--max-levels)");
  EXPECT_EQ(fit(t, {.max_levels = 3}).encoder.inputs(), 4);
  EXPECT_EQ(fit(t, {.max_levels = 2}, {.targets = {"y"}, .ignore = {"c"}}).encoder.inputs(), 1);
}

TEST(Encoder, ASlipOfThePenIsNoCategory) {
  EXPECT_EQ(message<DataError>([&] { fit(table("a,y\n1,1\n2,2\n3.x,3\n4,4\n")); }),
            "data.csv:4:1: '3.x' in column 'a' is not a number, but 3 of its 4 cells are (if all are meant as "
            "categories, say --text); correct it, or say that it means missing (--na '3.x')");
  EXPECT_EQ(message<DataError>([&] { fit(table("a,y\n1,1\n2,low\n")); }),
            "data.csv:3:2: 'low' in column 'y' is not a number, and a target must be one; correct it, or say that it "
            "means missing (--na 'low')");
}

TEST(Encoder, DecimalCommasAreNoCategories) {
  EXPECT_EQ(
      message<DataError>([&] { fit(table("a;y\n1,5;1\n2,25;2\n3;3\n")); }),
      "data.csv:2:1: '1,5' in column 'a' looks like a number with a decimal comma: say --decimal , (or, if it is a "
      "category, --text)");
  TableOptions comma;
  comma.decimal = ',';
  EXPECT_EQ(inputs(parse_table("a;y\n1,5;1\n2,25;2\n3;3\n", "data.csv", comma)), Eigen::Vector3d(0, 0.5, 1));
  TableOptions text;
  text.types = {{"a", ColumnType::text}};
  EXPECT_EQ(fit(parse_table("a;y\n1,5;1\n2,25;2\n3;3\n", "data.csv", text)).encoder.inputs(), 3);
}

TEST(Encoder, ConstantAndEmptyColumnsAreLeftOut) {
  const Fit f = fit(table("a,b,c,d,y\n1,7,,x,1\n2,7,,x,2\n3,,,x,3\n"));
  EXPECT_EQ(f.encoder.inputs(), 1);
  EXPECT_EQ(f.warnings, (std::vector<std::string>{"column 'b' is constant (7 or missing) and was left out",
                                                  "column 'c' has no values and was left out",
                                                  "column 'd' is constant ('x') and was left out"}));
  // They need not be there later.
  const Table later = table("a\n3\n");
  EXPECT_EQ(f.encoder.inputs(later, all_rows(later))(0, 0), 1);
  EXPECT_EQ(message<DataError>([&] { fit(table("b,y\n7,1\n7,2\n")); }),
            "data.csv: no input column is left beside the target (constant columns do not count)");
}

TEST(Encoder, ColumnsAreFoundByName) {
  const Encoder encoder = fit(table("a,b,y\n0,0,1\n1,10,2\n")).encoder;
  const Table later = table("more,b,a\n5,10,0\n");
  EXPECT_EQ(encoder.inputs(later, all_rows(later)), Eigen::RowVector2d(0, 1));
  const Table poor = table("more,other\n5,10\n");
  EXPECT_EQ(message<DataError>([&] { encoder.inputs(poor, all_rows(poor)); }),
            "data.csv lacks 2 columns that the model needs: 'a', 'b'");
  const Table text = table("a,b\n5,ten\n");
  EXPECT_EQ(message<DataError>([&] { encoder.inputs(text, all_rows(text)); }),
            "data.csv:2:2: 'ten' in column 'b' is not a number, and the model takes it as one; correct it, or say that "
            "it means missing (--na 'ten')");
  const Table twice = table("a,b,a\n5,1,2\n");
  EXPECT_EQ(message<DataError>([&] { encoder.inputs(twice, all_rows(twice)); }),
            "data.csv has several columns named 'a', which the model needs: rename all but one");
}

TEST(Encoder, ColumnChoice) {
  const Table t = table("id,a,b,y,z\nr1,1,2,3,4\nr2,2,4,5,5\n");
  const Encoder encoder = fit(t, {}, {.targets = {"z", "y"}, .ignore = {"b"}, .ids = {"1"}}).encoder;
  EXPECT_EQ(encoder.outputs(), 2);
  EXPECT_EQ(encoder.targets()[0].name, "z");
  EXPECT_EQ(encoder.targets()[1].name, "y");
  EXPECT_EQ(encoder.ids(), std::vector<std::string>{"id"});
  EXPECT_EQ(encoder.input_names(), std::vector<std::string>{"a"});
  EXPECT_EQ(message<DataError>([&] { fit(t, {}, {.targets = {"y"}, .ignore = {"4"}}); }),
            "column 'y' cannot be both a target and ignored");
  EXPECT_NE(message<std::invalid_argument>([&] { fit(t, {}, {}); }).find("no target is named"), std::string::npos);
  EXPECT_EQ(message<DataError>([&] { fit(table("a,a,y\n1,2,3\n2,3,4\n")); }),
            "columns 1 and 2 of data.csv are both named 'a': rename one, or ignore both by their numbers (--ignore 1 "
            "--ignore 2)");
  // One that is ignored is in the way too, when the model looks for the other by its name.
  EXPECT_NE(message<DataError>([&] {
              fit(table("a,a,y\n1,2,3\n2,3,4\n"), {}, {.targets = {"y"}, .ignore = {"2"}});
            }).find("both named 'a'"),
            std::string::npos);
  EXPECT_EQ(fit(table("a,a,b,y\n1,2,3,4\n2,3,4,5\n"), {}, {.targets = {"y"}, .ignore = {"1", "2"}}).encoder.inputs(),
            1);
}

TEST(Encoder, InfiniteNumbers) {
  EXPECT_EQ(message<DataError>([&] { fit(table("a,y\n1,1\ninf,2\n")); }),
            "data.csv:3:1: column 'a' is infinite here: remove the row or fill in a number");
  EXPECT_EQ(message<DataError>([&] { fit(table("a,y\n1,1\n2,-inf\n")); }),
            "data.csv:3:2: target 'y' is infinite here: remove the row");
  EXPECT_EQ(message<DataError>([&] { fit(table("a,y\n-1.7e308,1\n1.7e308,2\n")); }),
            "column 'a' spans -1.7e+308 to 1.7e+308, more than a number can hold: rescale it");
}

// Whatever the scaling and the size of the numbers, the inputs are finite and the targets come back.
RC_GTEST_PROP(Encoder, IsFiniteAndTargetsComeBack, ()) {
  const auto n = *rc::gen::inRange(2, 30);
  const int exponent = *rc::gen::inRange(-1060, 1010);
  Eigen::MatrixXd values(n, 2);
  for (int i = 0; i < n; ++i) {
    values(i, 0) = std::ldexp(*rc::gen::inRange(-1000, 1000), exponent);
    values(i, 1) = std::ldexp(*rc::gen::inRange(-1000, 1000), exponent);
  }
  if (values.col(0).maxCoeff() == values.col(0).minCoeff()) RC_DISCARD("constant");
  EncoderOptions options;
  options.scaling = *rc::gen::element(Scaling::unit, Scaling::standard, Scaling::quantile, Scaling::both);
  options.target_scaling = *rc::gen::element(TargetScaling::standard, TargetScaling::unit, TargetScaling::none);
  const Table t = make_table(values, {"a", "y"});
  const Fit f = fit(t, options);
  RC_ASSERT(f.encoder.inputs(t, all_rows(t)).allFinite());
  const Eigen::MatrixXd Y = f.encoder.targets(t, all_rows(t)), scaled = f.encoder.scale_targets(Y);
  RC_ASSERT(scaled.allFinite());
  const double size = Y.cwiseAbs().maxCoeff();
  RC_ASSERT(((f.encoder.unscale_targets(scaled) - Y) / (size > 0 ? size : 1)).cwiseAbs().maxCoeff() <= 1e-14);
}

TEST(Encoder, OptionsAreChecked) {
  EXPECT_EQ(message<std::invalid_argument>([&] { fit(table("a,y\n1,1\n2,2\n"), {.max_levels = 0}); }),
            "option max_levels = 0: expected 1 <= max_levels <= 1000000");
  EncoderOptions options;
  set_option(options, "scaling", "quantile");
  EXPECT_EQ(option_text(options, "scaling"), "quantile");
  EXPECT_EQ(message<std::invalid_argument>([&] { set_option(options, "scalling", "unit"); }),
            "there is no option 'scalling'; did you mean 'scaling'?");
}

}  // namespace
}  // namespace sconet
