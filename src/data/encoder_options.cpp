// The one list of encoder options.

#include "core/option_list.hpp"
#include "sconet/encoder.hpp"

namespace sconet {

template <>
struct Choices<Scaling> {
  static constexpr std::array names = {"auto", "unit", "standard", "quantile", "both", "none"};
};
template <>
struct Choices<TargetScaling> {
  static constexpr std::array names = {"standard", "unit", "none"};
};
template <>
struct Choices<Missing> {
  static constexpr std::array names = {"mean", "median", "refuse"};
};

template <>
struct OptionList<EncoderOptions> {
  template <class Visit>
  static void for_each(Visit&& visit) {
    using O = EncoderOptions;
    const auto option = [&]<class T>(std::string_view name, T O::*field, Bounds bounds, std::string_view sentence) {
      visit(Option<O, T>{name, "", field, bounds, sentence});
    };
    option("scaling", &O::scaling, {},
           "Inputs: to the unit interval, to mean 0 and deviation 1, to their quantiles, to these two side by side, or "
           "as they are; auto: the method auto chooses, the others take the unit interval.");
    option("target_scaling", &O::target_scaling, {}, "Targets, while the network learns; predictions are scaled back.");
    option("missing", &O::missing, {}, "A missing number becomes the mean or the median of the training rows.");
    option("missing_indicator", &O::missing_indicator, {},
           "Columns with missing numbers get a second input that says where.");
    option("max_levels", &O::max_levels, between(1, 1e6),
           "Most distinct texts a column may have to serve as categories.");
    option("quantiles", &O::quantiles, between(2, 1e5),
           "Scaling quantile and both: quantiles that are kept of each column.");
    option(
        "clip", &O::clip, {},
        "Numbers beyond the least and the largest of the training rows count as these, and predictions stay within a "
        "tenth of the targets' range; the method auto always clips.");
  }
};

void validate(const EncoderOptions& options) { validate_options(options); }

std::vector<OptionInfo> describe_encoder_options() { return describe_list<EncoderOptions>(); }

std::string option_text(const EncoderOptions& options, std::string_view name) { return text_of_option(options, name); }

void set_option(EncoderOptions& options, std::string_view name, std::string_view text) {
  set_option_from_text(options, name, text);
}

}  // namespace sconet
