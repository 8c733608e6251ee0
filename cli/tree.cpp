#include "tree.hpp"

namespace sconet::cli {

std::vector<std::string> OptionEntry::choices() const {
  std::vector<std::string> list;
  if (type.find('|') == std::string::npos) return list;
  for (std::size_t at = 0; at <= type.size();) {
    const std::size_t bar = std::min(type.find('|', at), type.size());
    list.push_back(type.substr(at, bar - at));
    at = bar + 1;
  }
  return list;
}

std::vector<CommandEntry> command_tree(const CLI::App& app) {
  std::vector<CommandEntry> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandEntry& command = commands.emplace_back();
    command.name = sub->get_name();
    command.meaning = sub->get_description();
    for (const CLI::Option* option : sub->get_options()) {
      OptionEntry& entry = command.options.emplace_back();
      for (const auto& name : option->get_snames()) entry.names.push_back("-" + name);
      for (const auto& name : option->get_lnames()) entry.names.push_back("--" + name);
      if (entry.names.empty()) entry.positional = option->get_name();
      entry.type = option->get_expected_max() == 0 ? "" : option->get_type_name();
      entry.meaning = option->get_description();
      entry.group = option->get_group();
    }
  }
  return commands;
}

}  // namespace sconet::cli
