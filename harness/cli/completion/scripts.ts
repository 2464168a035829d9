/** Shells there is a script for. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Each asks `hallmark complete` for candidates, and takes files where there are none. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# hallmark completion for bash: eval "$(hallmark completion bash)"
_hallmark() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(hallmark complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _hallmark hallmark
`,
  zsh: `#compdef hallmark
# hallmark completion for zsh: eval "$(hallmark completion zsh)"
_hallmark() {
  local -a found
  found=("\${(@f)$(hallmark complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _hallmark hallmark
`,
  fish: `# hallmark completion for fish: hallmark completion fish | source
function __hallmark_complete
  set -l words (commandline -opc) (commandline -ct)
  hallmark complete -- $words[2..-1] 2>/dev/null
end
complete -c hallmark -a '(__hallmark_complete)'
`,
};
