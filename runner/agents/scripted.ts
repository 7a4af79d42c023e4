import { readFileSync } from 'node:fs'
import { textOf } from '../programs/own-program.ts'
import type { Agent, AgentEvent, TurnEnd } from './agent.ts'
import { AgentOutput } from './agent-output.ts'
import { failure } from './failure.ts'
import { putIntoHome } from './home.ts'
import { runProgram } from './program.ts'
import { setupOf } from './setup.ts'

/**
 * Plays a script in place of a language model: real edits, in the real worktree, from inside the box like any agent.
 * The script is data, of a file that the operator names, or of the repository's own `.kanman/scripted.json`;
 * docs/manual/agents/scripted.md has its words.
 */
export function scriptedAgent({ file }: { file: string | null }): Agent {
  return {
    executor: { name: 'scripted', via: 'scripted', version: null },
    name: 'scripted',
    readable: [],
    async turn(turn, box) {
      const output = new AgentOutput(turn)
      const setup = setupOf(turn, box)
      const player = '.signalbox/player.mjs'
      putIntoHome(turn.limits.home, player, textOf('agents/inside/player.mjs'))
      output.emit({ type: 'said', text: 'Scripted: no language model is used here.' })
      const order = {
        script: file === null ? null : JSON.parse(readFileSync(file, 'utf8')),
        task: turn.task,
        out: setup.out,
        model: { url: setup.url, name: turn.model },
      }
      let end: TurnEnd | null = null
      const { code, signal, errors } = await runProgram(turn, box, {
        command: [process.execPath, `${setup.home}/${player}`],
        environment: {},
        readable: [],
        stdin: JSON.stringify(order),
        onLine: (line) => {
          const event = JSON.parse(line) as AgentEvent | { type: 'end'; end: TurnEnd }
          if (event.type === 'end') end = event.end
          else output.emit(event)
        },
      })
      return output.settle(
        end ?? failure(`The script failed with ${signal ?? `exit code ${code}`}. ${errors}`),
      )
    },
  }
}
