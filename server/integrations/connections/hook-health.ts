import { ToolRefused } from '../../domain/ports/connection.ts'
import type { HookHealth } from '../../domain/ports/connector.ts'

/** What was found of one hook. */
export interface FoundHook {
  /** It was off and has been turned on. */
  turnedOn?: boolean
  /** It is off and we could not turn it on. */
  isOff?: boolean
  /** Deliveries that failed, and how many of them are sent again. */
  failed?: number
  again?: number
  /** It would have ended soon, and was renewed. */
  renewed?: boolean
}

/** Longer than this ago, the tools do not keep what they could not deliver. */
const keptMs = 3 * 86_400_000
/** Clocks differ, and a delivery takes a moment to be given up. */
const overlapMs = 10 * 60_000

/** From when on failed deliveries are looked for. */
export const lookFrom = (since: Date | null, now: number): number =>
  since ? Math.max(since.getTime() - overlapMs, now - keptMs) : now - keptMs

/** All hooks of a connection in a word and in sentences; `wanted`: how many there should be. */
export function healthOf(found: readonly FoundHook[], wanted: number): HookHealth {
  const count = (some: (hook: FoundHook) => number | boolean | undefined) =>
    found.reduce((sum, hook) => sum + Number(some(hook) ?? 0), 0)
  const [off, on, failed, again] = [
    count((hook) => hook.isOff),
    count((hook) => hook.turnedOn),
    count((hook) => hook.failed),
    count((hook) => hook.again),
  ]
  const renewed = count((hook) => hook.renewed)
  const missing = Math.max(0, wanted - found.length)
  const said = [
    found.length === 0 && 'There is no webhook. Changes are fetched every few minutes.',
    found.length > 0 &&
      missing > 0 &&
      `${times(missing, 'project or repository', 'projects or repositories')} without a webhook.`,
    off > 0 && `${times(off, 'webhook is', 'webhooks are')} turned off in the tool.`,
    on > 0 &&
      `${times(on, 'webhook was', 'webhooks were')} turned off and ${on === 1 ? 'is' : 'are'} on again.`,
    failed > 0 &&
      `${times(failed, 'delivery', 'deliveries')} failed${again > 0 ? `, ${again === failed ? 'all' : again} sent again` : ''}.`,
    renewed > 0 &&
      `${times(renewed, 'webhook was', 'webhooks were')} about to expire and ${renewed === 1 ? 'was' : 'were'} renewed.`,
  ].filter((one) => one !== false)
  const state = found.length === 0 ? 'none' : off > 0 ? 'off' : failed > 0 ? 'failing' : 'working'
  return {
    state,
    note: said.join(' ') || 'All webhooks are on.',
    mended: on + again + renewed > 0,
  }
}

const times = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

/** What is not ours to see is no trouble: the sweep finds what has changed. */
export const unseen = (note: string): HookHealth => ({ state: 'unknown', note, mended: false })

/** The call, or null where the account may not look at hooks, or this version of the tool has no such thing. */
export async function ifAllowed<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ToolRefused && (error.reason === 'forbidden' || error.reason === 'not_found'))
      return null
    throw error
  }
}
