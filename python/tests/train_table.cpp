// Trains on a table as C++ users do: train_table TABLE TARGET MODEL [OPTION=VALUE...].

#include <exception>
#include <iostream>
#include <sconet/sconet.hpp>
#include <string>

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw std::invalid_argument("train_table TABLE TARGET MODEL [OPTION=VALUE...]");
    sconet::FitOptions options;
    options.columns.targets = {argv[2]};
    options.intervals = true;
    options.explain = true;
    for (int i = 4; i < argc; ++i) {
      const std::string argument = argv[i];
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals), text = argument.substr(equals + 1);
      if (name == "valid_fraction")
        options.valid_fraction = std::stod(text);
      else if (name == "scaling" || name == "missing" || name == "missing_indicator")
        sconet::set_option(options.encoder, name, text);
      else
        sconet::set_option(options.train, name, text);
    }
    sconet::Model::fit(sconet::read_table(argv[1]), options).model.save(argv[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
