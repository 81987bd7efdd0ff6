#include "cli/completion.h"

#include <algorithm>
#include <set>

namespace berth::cli {

namespace {

bool IsOption(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

const OptionSpec* FindOption(const CommandSpec& command, std::string_view name) {
  for (const OptionSpec& option : command.options) {
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  }
  return nullptr;
}

// Walks along the words before the last one.
class Walker {
 public:
  explicit Walker(const CommandSpec& program) : command_(&program) {}

  void Take(const std::string& word) {
    if (pending_ != nullptr) {
      Note(*pending_, word);
      pending_ = nullptr;
    } else if (word == "--" && !only_arguments_) {
      only_arguments_ = true;
    } else if (IsOption(word) && !only_arguments_) {
      TakeOption(word);
    } else {
      TakeArgument(word);
    }
  }

  Completion Complete(const std::string& word) {
    if (pending_ != nullptr) {
      OfferValues(*pending_, word);
    } else if (IsOption(word) && word.find('=') != std::string::npos) {
      const OptionSpec* option = FindOption(*command_, word.substr(0, word.find('=')));
      if (option != nullptr) OfferValues(*option, word.substr(word.find('=') + 1));
    } else if (word.starts_with('-') && !only_arguments_) {
      OfferOptions(word);
    } else {
      OfferArguments(word);
    }
    return std::move(completion_);
  }

 private:
  void TakeOption(const std::string& word) {
    const std::size_t equals = word.find('=');
    const OptionSpec* option = FindOption(*command_, word.substr(0, equals));
    if (option == nullptr && !word.starts_with("--")) {
      // As in -nml: the value stands behind the letter.
      option = FindOption(*command_, word.substr(0, 2));
      if (option != nullptr && option->takes_value) return Note(*option, word.substr(2));
    }
    if (option == nullptr) return;
    given_.insert(option);
    if (!option->takes_value) return;
    if (equals == std::string::npos) {
      pending_ = option;
    } else {
      Note(*option, word.substr(equals + 1));
    }
  }

  void TakeArgument(const std::string& word) {
    const auto command = std::ranges::find(command_->commands, word, &CommandSpec::name);
    if (arguments_ == 0 && command != command_->commands.end()) {
      command_ = &*command;
    } else {
      ++arguments_;
    }
  }

  // Keeps the value of an option that says where the cluster is.
  void Note(const OptionSpec& option, const std::string& value) {
    given_.insert(&option);
    const auto is = [&option](std::string_view name) {
      return std::ranges::find(option.names, name) != option.names.end();
    };
    if (is("--namespace")) completion_.api.namespace_name = value;
    if (is("--context")) completion_.api.context = value;
    if (is("--kubeconfig")) completion_.api.kubeconfig = value;
  }

  void Offer(const std::string& word, const std::string& help, std::string_view typed) {
    if (word.starts_with(typed)) completion_.candidates.push_back({word, help});
  }

  void OfferValues(const OptionSpec& option, const std::string& typed) {
    for (const std::string& value : option.values) Offer(value, "", typed);
    completion_.more = option.candidates;
    completion_.typed = typed;
  }

  void OfferOptions(const std::string& typed) {
    for (const OptionSpec& option : command_->options) {
      if (given_.contains(&option) && !option.repeatable) continue;
      for (const std::string& name : option.names) Offer(name, option.help, typed);
    }
  }

  void OfferArguments(const std::string& typed) {
    if (arguments_ == 0) {
      for (const CommandSpec& each : command_->commands) Offer(each.name, each.help, typed);
    }
    if (command_->arguments.empty()) return;
    const std::size_t last = command_->arguments.size() - 1;
    if (arguments_ > last && !command_->arguments[last].repeatable) return;
    OfferValues(command_->arguments[std::min(arguments_, last)], typed);
  }

  const CommandSpec* command_;
  // The option whose value is the next word.
  const OptionSpec* pending_ = nullptr;
  // Whether "--" has been seen.
  bool only_arguments_ = false;
  // How many of the command's arguments have been given.
  std::size_t arguments_ = 0;
  std::set<const OptionSpec*> given_;
  Completion completion_;
};

// Bash splits words at "=", and wants only what is behind it.
constexpr const char* kBashScript =
    R"sh(# bash completion for berth. To load it: source <(berth completion bash)
_berth() {
    local words=() lines=() line directive typed i
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if ((${#words[@]})) && [[ ${COMP_WORDS[i]} == = || ${words[-1]} == -*= ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    typed=${words[-1]}
    [[ $typed != -*=* ]] || typed=${typed#*=}
    COMPREPLY=()
    mapfile -t lines < <(berth __complete "${words[@]}" 2>/dev/null)
    ((${#lines[@]})) || return 0
    directive=${lines[-1]#:}
    unset 'lines[-1]'
    for line in "${lines[@]}"; do COMPREPLY+=("${line%%$'\t'*}"); done
    if ((directive & 16)); then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$typed")
    elif ((!(directive & 4) && ${#COMPREPLY[@]} == 0)); then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$typed")
    fi
    return 0
}
complete -F _berth berth
)sh";

constexpr const char* kZshScript =
    R"sh(#compdef berth
# zsh completion for berth. To load it: source <(berth completion zsh), after compinit; or write it to a
# file _berth in a folder of $fpath.
_berth() {
    local -a lines candidates
    local line word help directive
    lines=("${(@f)$(berth __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    directive=${lines[-1]#:}
    lines[-1]=()
    for line in "${lines[@]}"; do
        word=${line%%$'\t'*}
        help=${line#$word}
        candidates+=("${word//:/\\:}:${help#$'\t'}")
    done
    [[ $words[CURRENT] != -*=* ]] || compset -P '*='
    if ((directive & 16)); then
        _files -/
    elif ((!(directive & 4) && ${#candidates} == 0)); then
        _files
    else
        _describe berth candidates
    fi
}
if [[ $funcstack[1] == _berth ]]; then
    _berth
else
    compdef _berth berth
fi
)sh";

constexpr const char* kFishScript =
    R"sh(# fish completion for berth. To load it: berth completion fish | source
function __berth_complete
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l current (commandline -ct)
    set -l lines (berth __complete $tokens "$current" 2>/dev/null)
    set -l directive (string replace : '' -- $lines[-1])
    set -e lines[-1]
    set -l option ''
    set -l typed "$current"
    if string match -q -- '-*=*' "$current"
        set option (string replace -r '=.*' '=' -- "$current")
        set typed (string replace -r '^[^=]*=' '' -- "$current")
    end
    if test (math "bitand($directive, 16)") -ne 0
        set lines (__fish_complete_directories "$typed" '')
    else if test (math "bitand($directive, 4)") -eq 0; and test (count $lines) -eq 0
        set lines (__fish_complete_path "$typed")
    end
    for line in $lines
        printf '%s%s\n' "$option" $line
    end
end
complete -c berth -f -a '(__berth_complete)'
)sh";

}  // namespace

Completion CompletionOf(const CommandSpec& program, const std::vector<std::string>& words) {
  Walker walker(program);
  if (words.empty()) return walker.Complete("");
  for (auto word = words.begin(); word + 1 != words.end(); ++word) walker.Take(*word);
  return walker.Complete(words.back());
}

std::string CompletionScript(Shell shell) {
  switch (shell) {
    case Shell::kBash:
      return kBashScript;
    case Shell::kZsh:
      return kZshScript;
    case Shell::kFish:
      return kFishScript;
  }
  return "";
}

}  // namespace berth::cli
