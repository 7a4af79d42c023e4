import type { Isolation, Order, Register } from '@signalbox/contract/runner/messages.ts'
import { always } from '../breaches.ts'
import type { PlayServer } from '../play-server.ts'
import type { Claim, WorkScenario } from './attempt.ts'
import type { Seen } from './seen.ts'
import { type Marked, playedLine } from './turn.ts'
import type { World } from './world.ts'

/** The result of an attempt. */
export interface Tried {
  name: string
  proves: string
  result: 'held' | 'through' | 'not claimed' | 'not played'
  /** A sentence where it did not hold. */
  why: string | null
}

/** What the runner says that it has, when it registers and when it begins. */
export function claimsOf(server: PlayServer): Set<Claim> {
  const said = server.recorded.flatMap(({ call, message }): Isolation[] =>
    call === 'register' ? [(message as Register).isolation] : [],
  )
  const begun = server.orders.flatMap(({ reports }) =>
    [...reports.values()].flatMap((event) => (event.type === 'begun' ? [event.isolation] : [])),
  )
  return new Set(
    [...said, ...begun].flatMap((isolation) =>
      Object.entries(isolation ?? {}).flatMap(([name, value]) => (value === true ? [name as Claim] : [])),
    ),
  )
}

export function judged(
  { attempt, token }: Marked,
  seen: Seen | undefined,
  claims: ReadonlySet<Claim>,
): Tried {
  const { name, proves, claim, caught } = attempt
  if (claim && !claims.has(claim)) return { name, proves, result: 'not claimed', why: null }
  const isPlayed =
    seen && ((attempt.run ?? attempt.inGate) === undefined || seen.texts.includes(playedLine({ token })))
  if (!isPlayed) return { name, proves, result: 'not played', why: `It could not be tried: ${name}.` }
  if (caught.holds(seen, token)) return { name, proves, result: 'held', why: null }
  const claimed = claim ? `It registers ${claim}, and an attempt got through` : 'An attempt got through'
  const traces = seen.tracesOf(token).map((trace) => trace.replace(/\s+/g, ' ').slice(0, 160))
  const shown = traces.length > 0 ? ` (${traces.slice(0, 2).join('; ')})` : ''
  return {
    ...{ name, proves, result: 'through' },
    why: `${claimed}: ${name}${shown}. It is caught when ${caught.when}. ${proves}.`,
  }
}

/** What must hold in every scenario, whatever was tried. */
export function breachesOf(
  scenario: WorkScenario,
  { server, world, seen, marked, traces }: Played,
): string[] {
  const tokens = marked.map(({ token }) => token)
  const unknown = traces.filter((trace) => !tokens.some((token) => trace.includes(token)))
  return [
    ...always(server, { exitCode: null, leftBehind: [] }),
    ...unknown.map(
      (trace) =>
        `Something got out, of no attempt in particular: ${trace.replace(/\s+/g, ' ').slice(0, 200)}.`,
    ),
    ...seen.flatMap((each, at) => [
      ...changeBreaches(each),
      ...evidenceBreaches(each),
      ...endBreaches(each, scenario.runs[at]),
      ...billBreaches(each),
    ]),
    ...refBreaches(world, seen),
  ]
}

export interface Played {
  server: PlayServer
  world: World
  seen: Seen[]
  marked: Marked[]
  traces: string[]
}

/** The runner's list of paths is what people and rules go by: it is what the objects say. */
function changeBreaches(seen: Seen): string[] {
  const ready = seen.report('change_ready')
  if (!ready) return []
  if (!seen.actual) return ['The work that was handed over cannot be opened.']
  const pinned = seen.orders.flatMap(({ order, reports }) =>
    [
      order.spec,
      ...[...reports.values()].map((event) => (event.type === 'spec_pinned' ? event.spec : null)),
    ].flatMap((spec) => (spec ? [`${spec.folder}/`] : [])),
  )
  const isSpec = (name: string) => pinned.some((folder) => name.startsWith(folder))
  const real = seen.actual.paths.filter((name) => !isSpec(name))
  const told = ready.change.paths.filter((name) => !isSpec(name))
  const missing = real.filter((name) => !told.includes(name))
  const made = told.filter((name) => !real.includes(name))
  return [
    ...(seen.actual.isOnTop ? [] : ['The work is not built on the commit that it says it began from.']),
    ...(missing.length > 0
      ? [`The change touches ${shown(missing)}, and its list of paths does not say so.`]
      : []),
    ...(made.length > 0 ? [`The list of paths names ${shown(made)}, which the change does not touch.`] : []),
    ...(ready.change.files < real.length
      ? [`It says that ${ready.change.files} files changed; there are ${real.length}.`]
      : []),
  ]
}

const shown = (names: string[]) =>
  names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(', ')

function evidenceBreaches(seen: Seen): string[] {
  const ran = seen.report('gates_ran')
  const head = seen.work?.head
  if (!ran || !head) return []
  return ran.evidence.commit === head ? [] : ['The evidence is about another commit than the work.']
}

const goodEnds: Record<Order['stage'], string> = {
  planning: 'plan_ready',
  implementing: 'change_ready',
  verifying: 'gates_ran',
  handing_off: 'finished',
}

function endBreaches(seen: Seen, run: WorkScenario['runs'][number] | undefined): string[] {
  if (!run || run.killedWhen) return []
  const wanted = run.ends ?? [goodEnds[run.stages?.at(-1) ?? 'implementing']]
  const last = seen.last
  const why = last?.type === 'failed' ? `: ${last.error.slice(0, 500)}` : ''
  return wanted.some((type) => type === last?.type)
    ? []
    : [`The run should end with ${wanted.join(' or ')}, and ended with ${last?.type ?? 'nothing'}${why}.`]
}

const cent = 0.000_01

function billBreaches({ billedUsd, budgetUsd, reportedUsd }: Seen): string[] {
  return [
    ...(billedUsd > budgetUsd + cent
      ? [`The provider billed ${billedUsd.toFixed(4)}, and the budget is ${budgetUsd.toFixed(4)}.`]
      : []),
    ...(reportedUsd < billedUsd - cent
      ? [`The provider billed ${billedUsd.toFixed(4)}, and ${reportedUsd.toFixed(4)} was reported.`]
      : []),
  ]
}

/** A runner pushes one commit to one branch of its own, and nothing else. */
function refBreaches({ repository, nonce }: World, seen: Seen[]): string[] {
  const mine = new Map(
    seen.flatMap(({ orders, work }) => {
      const order = orders.find(({ order: { stage } }) => stage === 'handing_off')?.order
      return order && work ? [[`refs/heads/signalbox/${order.run}/${order.attempt}`, work.head]] : []
    }),
  )
  return Object.entries(repository.refs()).flatMap(([name, commit]) =>
    name === 'refs/heads/main' || mine.get(name) === commit || name.includes(nonce)
      ? []
      : [`${name} was pushed, to ${commit}.`],
  )
}
