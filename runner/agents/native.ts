import path from 'node:path'
import type { Box } from '../box/box.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import type { Agent, AgentEvent, Turn, TurnEnd } from './agent.ts'
import { AgentOutput } from './agent-output.ts'
import { failure } from './failure.ts'
import type { Preset } from './presets.ts'
import { runProgram } from './program.ts'
import { install, type Setup, setupOf } from './setup.ts'

/** Where a native agent was found. */
export interface NativeLaunch {
  command: string[]
  version: string | null
  readable: string[]
}

/** What reads an agent's own events, one JSON text a line. */
export interface Reader {
  read(event: Record<string, unknown>): void
  /** Known when its last event has come; null: it never came. */
  end: TurnEnd | null
}

export interface Dialect {
  preset: Preset
  args(turn: Turn, setup: Setup): string[]
  /** Of its environment, what only its own command line needs. */
  environment?(setup: Setup): Record<string, string>
  reader(turn: Turn, emit: (event: AgentEvent) => void): Reader
}

/** An agent that is launched once a turn, takes the prompt on its standard input and prints what it does. */
export function nativeAgent(dialect: Dialect, { command, version, readable }: NativeLaunch): Agent {
  const { preset } = dialect
  return {
    executor: { name: preset.executor, via: 'native', version },
    name: preset.executor,
    readable,
    turn: (turn, box) => play(turn, box),
  }

  async function play(asked: Turn, box: Box): Promise<TurnEnd> {
    const output = new AgentOutput(asked)
    const turn = keepsSession(asked) ? asked : { ...asked, session: null }
    if (turn.session !== asked.session)
      output.emit({
        type: 'printed',
        line: `Session ${asked.session} was not found in its home, so it starts over.`,
      })
    const setup = setupOf(turn, box)
    const configuration = preset.configure(setup)
    const environment = install(turn, configuration)
    const reader = dialect.reader(turn, (event) => output.emit(event))
    const ended = await runProgram(turn, box, {
      command: [...command, ...dialect.args(turn, setup)],
      environment: { ...environment, ...dialect.environment?.(setup) },
      readable,
      stdin: turn.prompt,
      onLine: (line) => {
        const event = parsed(line)
        if (event) reader.read(event)
        else if (line.trim() !== '') output.emit({ type: 'printed', line })
      },
    })
    const crash = () =>
      failure(`The agent ended with ${ended.signal ?? `exit code ${ended.code}`}. ${ended.errors}`)
    const end = reader.end ?? (ended.isAsked ? { ended: 'normally' as const } : crash())
    return output.settle(ended.isAsked && end.ended === 'failed' ? { ended: 'normally' } : end)
  }
}

/**
 * Agents fail when they are to resume a session that they do not have, and a run may have moved or lost its home. All
 * of them keep a session in files that have its id, or how it begins, in their names.
 */
function keepsSession({ session, limits }: Turn): boolean {
  if (session === null) return true
  using home = HeldFolder.open(limits.home)
  return home
    .walk({ folders: mostFolders })
    .some((found) => path.basename(found.path).includes(session.slice(0, 8)))
}

/** Of a home: beyond this size it is not looked after. */
const mostFolders = 20_000

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
