import { type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { MainCheck, MergeResult, PullRequest, TeamRepository } from '../../domain/ports/git-host.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Call } from '../connections/call.ts'
import type { GitProxy } from './git-proxy.ts'

/** What an adapter of a git host is made with. It lives for one call, as the connection does. */
export interface RemoteOptions {
  connection: Connection
  call: Call
  passOn: GitProxy
  clock: Clock
}

/** Under which name our verdict is shown at the host, and told from the checks of others. */
export const verdictName = 'Signalbox'

/** Where the host does not begin to check a merge within this time, it checks none. */
const beginsWithinMs = 2 * 60_000
/** Checks that take longer are not waited for: a runner looks. */
const endsWithinMs = 60 * 60_000

/** What the checks of a commit say, by name. */
export interface Checks {
  failed: string[]
  running: string[]
  passed: string[]
  /** They were not to run. */
  skipped: string[]
  /** They were to run, and ended without a result. */
  cancelled: string[]
}

export const noChecks = (): Checks => ({ failed: [], running: [], passed: [], skipped: [], cancelled: [] })

export const hasChecks = ({ failed, running, passed }: Checks): boolean =>
  failed.length + running.length + passed.length > 0

/** How the main branch is after a merge: green needs a check that passed, and none that is missing. */
export function mainAfter(checks: Checks, mergedAt: string | null, now: Date) {
  if (checks.failed.length > 0) return { state: 'red', findings: failing(checks.failed) } as const
  if (checks.running.length > 0)
    return isTooLate(mergedAt, now) ? ({ state: 'by_runner' } as const) : ({ state: 'pending' } as const)
  if (isGreen(checks)) return { state: 'green' } as const
  return ageMs(mergedAt, now) > beginsWithinMs
    ? ({ state: 'by_runner' } as const)
    : ({ state: 'pending' } as const)
}

const ageMs = (mergedAt: string | null, now: Date) => (mergedAt ? now.getTime() - Date.parse(mergedAt) : 0)

/** Checks that have not ended by now are waited for no longer. */
export const isTooLate = (mergedAt: string | null, now: Date): boolean => ageMs(mergedAt, now) > endsWithinMs

/** The same at any time. */
export function mainNow(checks: Checks, commit: string) {
  if (checks.failed.length > 0) return { state: 'red', commit, findings: failing(checks.failed) } as const
  if (checks.running.length > 0) return { state: 'pending', commit } as const
  return { state: isGreen(checks) ? 'green' : 'unchecked', commit } as const
}

const isGreen = (checks: Checks) => checks.passed.length > 0 && withoutResult(checks).length === 0

/** One of the same name that passed has taken the place of a check that was cancelled. */
const withoutResult = ({ cancelled, passed }: Checks) => cancelled.filter((name) => !passed.includes(name))

/**
 * Decides who broke main: a red result after a merge is compared with the commit it was merged onto before blaming the
 * change. The change's own checks were read before it was merged.
 */
export function blamed(
  after: MainCheck,
  checks: Checks,
  onto: { commit: string; checks: Checks } | null,
  isLate: boolean,
): MainCheck {
  if (after.state !== 'red') return after
  const { failed } = checks
  const unknown = (why: string): MainCheck => ({
    ...after,
    findings: `${after.findings} ${why}, so it may have been red already.`,
  })
  if (!onto || !hasChecks(onto.checks))
    return unknown(`Nothing was checked ${onto ? `on ${short(onto.commit)} ` : ''}before the merge`)
  // What has not ended there cannot be held against it yet; some never end.
  if (failed.some((name) => onto.checks.running.includes(name)))
    return isLate
      ? unknown(`The checks of ${short(onto.commit)} before the merge have not finished`)
      : { state: 'pending' }
  return failed.every((name) => onto.checks.failed.includes(name)) ? { ...after, isOlder: true } : after
}

/** The commit that was merged onto: before a merge or a squash the one before, before a rebase as many as it had. */
export async function mergedOnto(
  commit: string,
  steps: number,
  parentOf: (commit: string) => Promise<string | null>,
  checksOf: (commit: string) => Promise<Checks>,
): Promise<{ commit: string; checks: Checks } | null> {
  let first: { commit: string; checks: Checks } | null = null
  let at = await parentOf(commit)
  for (let step = 0; at !== null && step < Math.max(1, Math.min(steps, mostSteps)); step += 1) {
    const found = { commit: at, checks: await checksOf(at) }
    if (hasChecks(found.checks)) return found
    first ??= found
    at = await parentOf(at)
  }
  return first
}
const mostSteps = 20

export const short = (commit: string) => commit.slice(0, 12)

export const missing = (branch: string, { name }: TeamRepository) => `${name} has no branch ${branch}.`

export const moved = (branch: string, from: string, to: string | null) =>
  to
    ? `the branch ${branch} moved from ${short(from)}, which was verified, to ${short(to)}.`
    : `the branch ${branch} is gone.`

export const conflicting = (base: string) => `it conflicts with the branch ${base}.`

export const closed = ({ number }: Pick<PullRequest, 'number'>) => `pull request #${number} is closed.`

const failing = (names: string[]) => `${listed(names)} failed.`
const unfinished = (names: string[]) => `Waiting for ${listed(names)} to finish.`

const mostNamed = 10
const listed = (names: string[]) => {
  const shown = names.slice(0, mostNamed).map((name) => oneLine(name, 80))
  const rest = names.length - shown.length
  return `${names.length === 1 ? 'the check' : 'the checks'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Words of others, as they may be in a sentence of ours. */
export const oneLine = (text: unknown, most = 300): string =>
  `${text ?? ''}`
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, most)

/** What the host wrote beside its refusal; GitHub and GitLab agree on `message`, and on little else. */
export function refusalText(error: ToolRefused): string {
  const { message, errors, error: word } = (error.answer ?? {}) as Record<string, unknown>
  const parts = [message ?? word, ...(Array.isArray(errors) ? errors : [])].map((part) =>
    typeof part === 'object' && part !== null && 'message' in part ? part.message : part,
  )
  return oneLine(
    parts
      .flat()
      .filter((part) => typeof part === 'string')
      .join(' '),
  )
}

/** The result of the call, or the refusal, for callers that can handle some of its statuses. */
export async function orRefusal<T>(call: Promise<T>, ...statuses: number[]): Promise<T | ToolRefused> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ToolRefused && error.status !== null && statuses.includes(error.status)) return error
    throw error
  }
}

/** Null where the host has no such thing, or hides it. */
export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  const found = await orRefusal(call, 404)
  return found instanceof ToolRefused ? null : found
}

/**
 * Null where a repository has no such thing. Hosts answer the same to everything about a repository that they hide from
 * us: nothing of it is gone then, and what is to be done there waits until it is shown again.
 */
export async function orGone<T>(call: Promise<T>, { repository, hidden }: Shown): Promise<T | null> {
  const found = await orNull(call)
  if (found === null && (await orNull(repository())) === null)
    throw new ToolRefused('not_found', hidden, { status: 404, extent: 'place' })
  return found
}

/** The same for what is written: null is a refusal here. */
export async function orHidden<T>(call: Promise<T>, shown: Shown): Promise<T> {
  const done = await orRefusal(call, 404)
  if (!(done instanceof ToolRefused)) return done
  await orGone(Promise.reject(done), shown)
  throw done
}

/** How it is asked whether a repository is shown to us at all, and what is said where it is not. */
export interface Shown {
  repository: () => Promise<unknown>
  hidden: string
}

/**
 * Every page of a list: what is beyond could be what speaks against a merge. A list that does not end is a fact that
 * could not be read.
 */
export async function everyPage<T>(
  what: string,
  { size, most, now }: { size: number; most: number; now: Date },
  readPage: (number: number) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (let number = 1; number <= most; number += 1) {
    const some = await readPage(number)
    if (!Array.isArray(some)) throw new ToolBusy(`The host did not return the ${what}.`, null, now)
    all.push(...some)
    if (some.length < size) return all
  }
  throw new ToolBusy(
    `There are more than ${most * size} ${what}, which is more than Signalbox reads.`,
    null,
    now,
  )
}

/** Why a merge does not go on yet, or never; null: nothing of the checks speaks against it. */
export function heldByChecks(checks: Checks): MergeResult | null {
  const { failed, running } = checks
  if (failed.length > 0) return refuse(failing(failed))
  if (running.length > 0) return wait(unfinished(running))
  const silent = withoutResult(checks)
  return silent.length > 0 ? wait(`Waiting for ${listed(silent)}: cancelled, and not run again.`) : null
}

/** As many names as an audit entry has room for. */
export const fewNames = (names: readonly string[]): string[] => {
  const shown = [...new Set(names)].slice(0, mostKept).map((name) => oneLine(name, 100))
  return names.length > mostKept ? [...shown, `and ${names.length - mostKept} more`] : shown
}
const mostKept = 50

/** Branches of a run end in the number of the attempt. */
export const attemptsOf = (branch: string): string | null =>
  /^(signalbox\/.+\/)\d+$/.exec(branch)?.[1] ?? null

/** How git is let in over https with a token: as the password of a user that the host does not look at. */
export const basic = (user: string, token: string) =>
  `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`

/** A sentence of the host's own, ended as ours are. */
export const sentence = (text: string) => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`)

export const refuse = (reason: string): MergeResult => ({ merged: false, reason })
/** The branch that it goes into has moved on. */
export const outdated = (reason: string): MergeResult => ({ merged: false, reason, isOutdated: true })
export const wait = (reason: string): MergeResult => ({ merged: false, reason, isPending: true })

/** What was not done, with what the host said about it. */
export const refusedAs = (what: string, error: ToolRefused): string =>
  `${what}${refusalText(error) ? `: ${sentence(refusalText(error))}` : '.'}`

/** What a pull request says, and below it why it is closed. */
export const withReason = (text: string | null, why: string): string =>
  [text, why].filter(Boolean).join('\n\n')
