import type { Box } from '../box/box.ts'
import { textOf } from '../programs/own-program.ts'
import type { Turn } from './agent.ts'
import { putIntoHome } from './home.ts'

/** What the configuration of an agent is made from. Paths are as the agent sees them. */
export interface Setup {
  /** Where its models are: the gateway. Null: it signs in on its own. */
  url: string | null
  model: string | null
  home: string
  worktree: string
  out: string | null
  /** Of the worktree: what it may not change. */
  denied: string[]
  /** The worktrees of other repositories, and what of them it may not change. */
  beside: { folder: string; denied: string[] }[]
  readOnly: boolean
  /** Whether a box keeps it in. Then its own sandbox and its own questions are off: they do not nest. */
  isBoxed: boolean
  /** Whether the model's provider may search the network: its own search is turned off where it would be refused. */
  maySearch: boolean
  /** What starts the server that offers `request_human_input`; null: there is no folder for a question. */
  askServer: string[] | null
}

/** What an agent finds when it starts. */
export interface Configuration {
  environment: Record<string, string>
  /** Of its home. */
  files: Record<string, string>
  args: string[]
}

/** Agents want a key where they find none to their liking; the real one never leaves the gateway. */
export const placeholderKey = 'signalbox'

/** Of a turn, what an agent is configured with. */
export function setupOf(turn: Turn, box: Box): Setup {
  const { limits } = turn
  const inside = (path: string) => box.inside(path, limits)
  const out = limits.out === null ? null : inside(limits.out)
  const server = '.signalbox/ask-server.mjs'
  if (out !== null) putIntoHome(limits.home, server, textOf('agents/inside/ask-server.mjs'))
  const home = inside(limits.home)
  return {
    url: turn.gateway && (limits.environment.SIGNALBOX_MODEL_URL ?? turn.gateway.url),
    model: turn.model,
    home,
    worktree: inside(limits.worktree),
    out,
    denied: limits.denied,
    beside: (limits.beside ?? []).map(({ folder, denied }) => ({ folder: inside(folder), denied })),
    readOnly: turn.readOnly,
    isBoxed: box.isolation.writesOutsideBlocked,
    maySearch: turn.gateway === null || turn.gateway.modelTools.includes('web_search'),
    askServer: out === null ? null : [inside(process.execPath), `${home}/${server}`, out],
  }
}

/** Puts the configuration into the run's home, and what it signs in with; says what of both is in the environment. */
export function install(
  { limits, signIn }: Turn,
  { files, environment }: Configuration,
): Record<string, string> {
  for (const [name, text] of Object.entries({ ...files, ...signIn?.files }))
    putIntoHome(limits.home, name, text)
  return { ...environment, ...signIn?.environment }
}
