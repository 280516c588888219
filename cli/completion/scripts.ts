export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The completion script of a shell. It runs the command's `launcher` file, and never evaluates the output. */
export function completionScript(shell: (typeof SHELLS)[number], launcher: string): string {
  const path = `'${launcher.replaceAll("'", `'\\''`)}'`;
  return SCRIPTS[shell](shell === 'fish' ? `'${launcher.replaceAll(/['\\]/g, '\\$&')}'` : path);
}

const SCRIPTS = {
  bash: (path: string) => `# Load it in ~/.bashrc: source <(changewire completion bash)
_changewire() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(node ${path} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _changewire changewire`,
  zsh: (path: string) => `#compdef changewire
# Load it in ~/.zshrc, after compinit: source <(changewire completion zsh)
_changewire() {
  local -a found
  found=("\${(@f)$(node ${path} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
compdef _changewire changewire`,
  fish: (path: string) => `# Save it: changewire completion fish > ~/.config/fish/completions/changewire.fish
function __changewire_complete
  set -l tokens (commandline -opc)
  set -e tokens[1]
  node ${path} complete -- $tokens (commandline -ct) 2>/dev/null
end
complete -c changewire -f -a '(__changewire_complete)'`,
};
