import { completionLine } from './command-lines.ts'
import { type Command, type Commands, command } from './program.ts'

/** Completes whatever commands the program has. */
export const completionCommand = (commands: Commands): Command =>
  command(
    'completions for bash, zsh and fish',
    completionLine,
    async () => {
      const { completionScript } = await import('./completion-script.ts')
      return {
        async run({ positionals: [shell] }) {
          process.stdout.write(completionScript(shell as 'bash' | 'zsh' | 'fish', commands))
        },
      }
    },
    ['bash', 'zsh', 'fish'],
  )
