import { completionCommand } from './completion-command.ts'
import { exitCodesText } from './exit-codes.ts'
import manifest from './package.json' with { type: 'json' }
import { peopleCommands } from './people-commands.ts'
import { runProgram } from './program.ts'

/** `signalbox` on a machine without a server. With one, server/main.ts has these commands beside its own. */
await runProgram(process.argv.slice(2), {
  called: 'signalbox ',
  version: manifest.version,
  groups: {
    'Your work': peopleCommands,
    Shell: new Map([['completion', completionCommand(peopleCommands)]]),
  },
  footer: exitCodesText,
})
