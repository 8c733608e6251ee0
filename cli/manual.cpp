// `sconet completion`, `sconet man` and `sconet options`: all made from the one command line.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "output.hpp"
#include "tree.hpp"

namespace sconet::cli {
namespace {

bool takes_file(const OptionEntry& option) {
  return option.type == "FILE" || option.positional == "DATA" || option.positional == "MODEL";
}

std::string words(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, " ")); }

std::vector<std::string> names(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> list;
  list.reserve(commands.size());
  for (const auto& command : commands) list.push_back(command.name);
  return list;
}

// Words that may stand where a command takes one of a few texts, option or positional.
std::string bash(const std::vector<CommandEntry>& commands) {
  std::string s =
      "# bash completion for sconet:  source <(sconet completion bash)\n"
      "_sconet() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} choices=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  s += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n",
                   words(names(commands)));
  s += "  case $command in\n";
  for (const auto& command : commands) {
    std::vector<std::string> flags, positional;
    std::string cases;
    for (const auto& option : command.options) {
      const auto choices = option.choices();
      if (option.names.empty()) {
        positional.insert(positional.end(), choices.begin(), choices.end());
        continue;
      }
      flags.insert(flags.end(), option.names.begin(), option.names.end());
      if (option.type.empty()) continue;
      cases += fmt::format("        {}) ", fmt::join(option.names, "|"));
      cases += !choices.empty()     ? fmt::format("choices='{}' ;;\n", words(choices))
               : takes_file(option) ? "COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
                                    : "return ;;\n";
    }
    s += fmt::format("    {})\n      case $before in\n{}        *) choices='{}' ;;\n      esac\n", command.name, cases,
                     words(positional));
    s += fmt::format("      case $word in -*) choices='{}' ;; esac ;;\n", words(flags));
  }
  s += "  esac\n"
       "  if [ -n \"$choices\" ]; then COMPREPLY=($(compgen -W \"$choices\" -- \"$word\")); else COMPREPLY=($(compgen "
       "-f -- "
       "\"$word\")); fi\n"
       "}\n"
       "complete -o filenames -F _sconet sconet\n";
  return s;
}

std::string escaped(const std::string& text, const std::string& special) {
  std::string s;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) s += '\\';
    s += c;
  }
  return s;
}

std::string zsh(const std::vector<CommandEntry>& commands) {
  const auto quoted = [](const std::string& text) {  // inside single quotes
    std::string s;
    for (const char c : text) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return s;
  };
  std::string s =
      "#compdef sconet\n# zsh completion for sconet:  sconet completion zsh > _sconet, in a folder of "
      "$fpath\n_sconet() {\n";
  s += "  local -a commands=(\n";
  for (const auto& command : commands)
    s += fmt::format("    '{}:{}'\n", command.name, quoted(escaped(command.meaning, ":")));
  s += "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
       "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n  case $command in\n";
  for (const auto& command : commands) {
    s += fmt::format("    {}) _arguments", command.name);
    int place = 0;
    for (const auto& option : command.options) {
      const auto choices = option.choices();
      const std::string action = !choices.empty()     ? fmt::format("({})", words(choices))
                                 : takes_file(option) ? "_files"
                                                      : " ";
      if (option.names.empty()) {
        s += fmt::format(" \\\n      '{}:{}:{}'", ++place, option.positional, action);
        continue;
      }
      for (const auto& name : option.names) {
        s += fmt::format(" \\\n      '*{}[{}]", name, quoted(escaped(option.meaning, "[]:")));
        s += option.type.empty()
                 ? "'"
                 : fmt::format(":{}:{}'", quoted(escaped(choices.empty() ? option.type : "choice", ":")), action);
      }
    }
    s += " ;;\n";
  }
  s += "  esac\n}\nif [ \"$funcstack[1]\" = _sconet ]; then _sconet \"$@\"; else compdef _sconet sconet; fi\n";
  return s;
}

std::string fish(const std::vector<CommandEntry>& commands) {
  const auto quoted = [](const std::string& text) { return "'" + escaped(text, "'\\") + "'"; };
  std::string s = "# fish completion for sconet:  sconet completion fish | source\n";
  for (const auto& command : commands) {
    s += fmt::format("complete -c sconet -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                     quoted(command.meaning));
    for (const auto& option : command.options) {
      const std::string when = fmt::format("complete -c sconet -n '__fish_seen_subcommand_from {}'", command.name);
      const auto choices = option.choices();
      if (option.names.empty()) {
        if (!choices.empty()) s += fmt::format("{} -f -a '{}'\n", when, words(choices));
        continue;
      }
      s += when;
      for (const auto& name : option.names)
        s += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.type.empty()) s += " -r";
      if (!choices.empty()) s += fmt::format(" -f -a '{}'", words(choices));
      s += fmt::format(" -d {}\n", quoted(option.meaning));
    }
  }
  return s;
}

// Text of a man page: backslashes, dashes, and dots and quotes that begin a line.
std::string roff(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '\\')
      s += "\\e";
    else if (c == '-')
      s += "\\-";
    else if ((c == '.' || c == '\'') && s.empty())
      s += std::string("\\&") + c;
    else
      s += c;
  }
  return s;
}

std::string man_page(const std::vector<CommandEntry>& commands) {
  std::string s = fmt::format(".TH SCONET 1 \"\" \"sconet {}\" \"User Commands\"\n", SCONET_VERSION);
  s += ".SH NAME\nsconet \\- compact regression networks grown node by node, from a table to a model\n.SH SYNOPSIS\n";
  for (const auto& command : commands) {
    std::string line;
    for (const auto& option : command.options)
      if (option.names.empty()) line += " \\fI" + roff(option.positional) + "\\fR";
    s += fmt::format(".B sconet {}\n{} [\\fIoptions\\fR]\n.br\n", command.name, line.empty() ? "\\&" : line.substr(1));
  }
  s += ".SH DESCRIPTION\n"
       "Trains stochastic configuration networks on tables (text with commas, semicolons, tabs or blanks, ARFF, KEEL, "
       "MATLAB; "
       "gzip and zstd), predicts with them and says how far they are off. A table's columns are named by their names, "
       "or "
       "by their numbers from 1. Results go to standard output, messages to standard error.\n.SH COMMANDS\n";
  for (const auto& command : commands) {
    s += fmt::format(".SS {}\n{}.\n", command.name, roff(command.meaning));
    std::string group;
    for (const auto& option : command.options) {
      if (option.group != group && option.group != "Options" && !option.names.empty())
        s += fmt::format(".PP\n\\fI{}\\fR\n", roff(option.group));
      if (!option.names.empty()) group = option.group;
      std::string head = option.names.empty()
                             ? "\\fI" + roff(option.positional) + "\\fR"
                             : "\\fB" + roff(fmt::format("{}", fmt::join(option.names, ", "))) + "\\fR";
      if (!option.names.empty() && !option.type.empty()) head += " \\fI" + roff(option.type) + "\\fR";
      s += fmt::format(".TP\n{}\n{}\n", head, roff(option.meaning));
    }
  }
  s += ".SH EXIT STATUS\n";
  const std::vector<std::pair<int, const char*>> codes = {
      {kOk, "Done."},
      {kFailure, "A mistake of ours."},
      {kUsage, "A wrong option or argument."},
      {kData, "A table that cannot be used; the message names file, line, column and token."},
      {kModelFile, "A file that is no sound model."},
      {kIo, "A file that cannot be read or written."},
      {kMemory, "Not enough memory."},
      {kInterrupted, "Interrupted. The first Ctrl\\-C ends training and saves the model so far, the second quits."}};
  for (const auto& [code, meaning] : codes) s += fmt::format(".TP\n.B {}\n{}\n", code, meaning);
  s += ".SH EXAMPLES\n.nf\n"
       "sconet train data.csv \\-\\-target y \\-o model.sconet \\-\\-valid\\-fraction 0.2\n"
       "sconet evaluate model.sconet test.csv\n"
       "sconet predict model.sconet new.csv > predictions.csv\n.fi\n";
  return s;
}

std::string options_table(const std::vector<OptionInfo>& list) {
  std::string s =
      "| option | MATLAB name | type | default | bounds | meaning |\n"
      "|---|---|---|---|---|---|\n";
  const auto cell = [](const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  for (const auto& o : list)
    s += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", o.name, o.matlab_name, cell(o.type), o.default_value,
                     o.bounds, cell(o.sentence));
  return s;
}

}  // namespace

void add_completion(CLI::App& app, Commands& commands) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completion", "Print the completions for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(one_of({"bash", "zsh", "fish"}));
  commands[command] = [shell, &app] {
    const auto tree = command_tree(app);
    print(*shell == "bash" ? bash(tree) : *shell == "zsh" ? zsh(tree) : fish(tree));
    return kOk;
  };
}

void add_man(CLI::App& app, Commands& commands) {
  auto* command = app.add_subcommand("man", "Print the manual page:  sconet man | man -l -");
  commands[command] = [&app] {
    print(man_page(command_tree(app)));
    return kOk;
  };
}

void add_options(CLI::App& app, Commands& commands) {
  auto* command = app.add_subcommand("options", "Print the options of training and encoding as Markdown tables");
  commands[command] = [] {
    print("## Training\n\n" + options_table(describe_options()) + "\n## How columns become inputs\n\n" +
          options_table(describe_encoder_options()));
    return kOk;
  };
}

}  // namespace sconet::cli
