import type { Command, Commands } from './program.ts'

type Shell = 'bash' | 'zsh' | 'fish'

interface Completed {
  word: string
  about: string
  words: string[]
}

/** A script for the shell, made from the same table that the commands are found in. */
export function completionScript(shell: Shell, commands: Commands): string {
  const all = [...commands].map(([word, one]) => ({ word, about: one.about, words: wordsOf(one) }))
  return scripts[shell]([
    ...all,
    { word: 'completion', about: 'completions', words: ['bash', 'zsh', 'fish'] },
  ])
}

const wordsOf = ({ line, words = [] }: Command): string[] => [
  ...words,
  ...[...Object.keys(line.options), 'json', 'help'].map((name) => `--${name}`),
]

/** For single quotes, in all three. */
const quoted = (text: string) => `'${text.replaceAll("'", '')}'`

const scripts: Record<Shell, (all: Completed[]) => string> = {
  bash: (all) => `_signalbox() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted([...all.map(({ word }) => word), 'help', '--help', '--version'].join(' '))}
  else
    case "\${COMP_WORDS[1]}" in
${all.map(({ word, words }) => `      ${word}) words=${quoted(words.join(' '))} ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _signalbox signalbox
`,
  zsh: (all) => `#compdef signalbox
_signalbox() {
  local -a commands
  commands=(
${all.map(({ word, about }) => `    ${quoted(`${word}:${about}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  # The value of an option, such as a file.
  if [[ "$words[CURRENT-1]" == -* && "$words[CURRENT]" != -* ]]; then
    _default
    return
  fi
  case "$words[2]" in
${all.map(({ word, words }) => `    ${word}) compadd -- ${words.join(' ')} ;;`).join('\n')}
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
if [[ "$funcstack[1]" == _signalbox ]]; then _signalbox "$@"; else compdef _signalbox signalbox; fi
`,
  fish: (all) =>
    `complete -c signalbox -f
complete -c signalbox -n '__fish_prev_arg_in -f --file' -F
${all
  .map(({ word, about, words }) =>
    [
      `complete -c signalbox -n __fish_use_subcommand -a ${word} -d ${quoted(about)}`,
      `complete -c signalbox -n '__fish_seen_subcommand_from ${word}' -a ${quoted(words.join(' '))}`,
    ].join('\n'),
  )
  .join('\n')}\n`,
}
