import type { Agent, Turn } from './agent.ts'
import { AgentOutput } from './agent-output.ts'
import { failure } from './failure.ts'
import { putIntoHome } from './home.ts'
import { runProgram } from './program.ts'
import { type Setup, setupOf } from './setup.ts'

/** What a program says with its exit code, as `sysexits.h` has it: come back later. */
const temporary = 75

/** Any program: it finds the prompt on its standard input and in a file, and what it is about in its environment. */
export function commandAgent({
  name,
  version,
  command,
  readable,
}: {
  name: string
  version: string | null
  command: string[]
  readable: string[]
}): Agent {
  return {
    executor: { name: 'command', via: 'command', version },
    name,
    readable,
    async turn(turn, box) {
      const output = new AgentOutput(turn)
      const setup = setupOf(turn, box)
      const prompt = '.signalbox/prompt.md'
      putIntoHome(turn.limits.home, prompt, turn.prompt)
      const { code, signal, errors } = await runProgram(turn, box, {
        command,
        environment: { ...environmentOf(turn, setup), SIGNALBOX_PROMPT_FILE: `${setup.home}/${prompt}` },
        readable,
        stdin: turn.prompt,
        onLine: (line) => output.emit({ type: 'printed', line }),
      })
      if (code === 0) return output.settle({ ended: 'normally' })
      const error = `${name} ended with ${signal ?? `exit code ${code}`}. ${errors}`
      return output.settle(code === temporary ? { ended: 'failed', error, transient: true } : failure(error))
    },
  }
}

/** docs/manual/agents/command.md has these names. */
function environmentOf({ task, readOnly }: Turn, { url, out, model }: Setup): Record<string, string> {
  return {
    SIGNALBOX_RUN: task.run,
    SIGNALBOX_ATTEMPT: String(task.attempt),
    SIGNALBOX_STORY: task.story,
    SIGNALBOX_STAGE: task.stage,
    SIGNALBOX_PURPOSE: task.purpose,
    SIGNALBOX_ROUND: String(task.round),
    SIGNALBOX_READ_ONLY: readOnly ? '1' : '0',
    ...(out === null ? {} : { SIGNALBOX_RESULTS: out }),
    ...(model === null ? {} : { SIGNALBOX_MODEL: model }),
    ...(url === null ? {} : { SIGNALBOX_MODEL_URL: url }),
  }
}
