// The scripts that shells load. Each only asks the program (`completion --complete`) and hands on what it answers: a first line
// that says what follows (values, or that the shell knows better: files, directories), then a value a line, with a description
// after a tab. Whatever fails is silent: a person is in the middle of typing.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of lainclaw for bash.
#
# In this shell:   source <(lainclaw completion bash)
# In every shell:  echo 'source <(lainclaw completion bash)' >> ~/.bashrc
# With the package bash-completion, loaded with the first use:
#   mkdir -p ~/.local/share/bash-completion/completions
#   lainclaw completion bash > ~/.local/share/bash-completion/completions/lainclaw

_lainclaw() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command lainclaw completion --complete line -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2") ;;
    directories) compopt -o dirnames 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$2") ;;
  esac
}
complete -F _lainclaw lainclaw
`,

  zsh: `#compdef lainclaw
# Completion of lainclaw for zsh.
#
# In this shell:   source <(lainclaw completion zsh)
# In every shell:  echo 'source <(lainclaw completion zsh)' >> ~/.zshrc     (after the line with compinit)
# Loaded with the first use, from a folder of your fpath:
#   lainclaw completion zsh > "\${fpath[1]}/_lainclaw"

_lainclaw() {
  local line value about tab=$'\\t'
  local -a lines described
  lines=("\${(@f)$(command lainclaw completion --complete words -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  case $lines[1] in
    files) [[ $PREFIX == --*=* ]] && compset -P '*='; _files ;;
    directories) [[ $PREFIX == --*=* ]] && compset -P '*='; _files -/ ;;
    values)
      for line in "\${(@)lines[2,-1]}"; do
        [[ -z $line ]] && continue
        value=\${line%%$tab*}
        # Values without descriptions stand without the dashes before them.
        [[ $line == *$tab?* ]] && about=":\${line#*$tab}" || about=
        described+=("\${value//:/\\\\:}$about")
      done
      (( $#described )) && _describe -t values value described
      ;;
  esac
}
if [[ $funcstack[1] == _lainclaw ]]; then
  _lainclaw "$@"
elif (( $+functions[compdef] )); then
  compdef _lainclaw lainclaw
fi
`,

  fish: `# Completion of lainclaw for fish.
#
# In this shell:   lainclaw completion fish | source
# In every shell:  lainclaw completion fish > ~/.config/fish/completions/lainclaw.fish

function __lainclaw_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l plain (string unescape -- $current 2>/dev/null; or echo -- $current)
    set -l lines (command lainclaw completion --complete words -- $before "$plain" 2>/dev/null </dev/null)
    set -l flag (string match -r -- '^--[^=]+=' $current)
    set -l path (string replace -r -- '^--[^=]+=' '' $current)
    switch "$lines[1]"
        case values
            test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
        case files
            for each in (__fish_complete_path "$path")
                echo -- "$flag$each"
            end
        case directories
            for each in (__fish_complete_directories "$path" '')
                echo -- "$flag$each"
            end
    end
end
complete -c lainclaw -f -a '(__lainclaw_complete)'
`,
};
