import { createHash } from 'node:crypto'
import { isolationLacks, lackingFor } from '@signalbox/contract/isolation.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { Work } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { ChangeReader } from '../../ports/change-reader.ts'
import type { OrderRef, WorkEvent } from '../../ports/work.ts'
import { type DerivedChange, deriveChange, pinnedFiles } from '../../work/changes/derive.ts'
import { keepFile } from '../../work/files/keep.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { blank, type CheckedReport, type FoundKind, type Memory } from '../machine/machine.ts'
import {
  type Derived,
  type Part,
  partsOf,
  pathsWithin,
  type RepositoryChange,
  specInTurn,
  wholeChange,
} from '../machine/parts.ts'
import { sanitizeJson } from '../machine/sanitize-json.ts'
import { type OrderRow, selectOrder } from '../orders/order-store.ts'
import { wasCheckedByMaker } from '../orders/own-check.ts'

type Of<T extends WorkEvent['type']> = Extract<WorkEvent, { type: T }>

interface Found {
  kind: FoundKind
  says: string
}

/** An order as it is when its runner reports. */
interface Standing {
  ctx: Context
  order: OrderRef
  row: OrderRow
  memory: Memory
  policy: Awaited<ReturnType<typeof policySnapshot>>
  reader: ChangeReader
}

/**
 * What a runner says, held against what the server knows or can find out on its own. What it finds out counts, whatever
 * was said; what cannot be true ends the order with the reason. Before the transaction, since it takes its time: while
 * the order is current nothing of what is looked at here changes but by its own reports, which come one by one.
 */
export async function checkReport(
  ctx: Context,
  order: OrderRef,
  event: Exclude<WorkEvent, { type: 'usage' | 'progress' | 'proposal_made' }>,
  reader: ChangeReader,
): Promise<CheckedReport> {
  const row = await selectOrder(ctx.db, ctx.workspaceId, order.runId)
  // Of an order that is over nothing is believed anyway.
  if (!row || row.fence !== order.fence || row.phase !== 'working') return event
  const policy = await policySnapshot(ctx.db, ctx.workspaceId, row.teamId, row.policyVersion)
  const memory = { ...blank, ...row.memory }
  const standing = { ctx, order, row, memory, policy, reader }
  switch (event.type) {
    case 'begun':
      return memory.checksMain ? event : heldBeginning(standing, event)
    case 'spec_pinned':
      return heldSpec(standing, event)
    case 'question_asked':
      return heldQuestion(standing, event)
    case 'change_ready':
      return row.stage === 'implementing' ? heldChange(standing, event) : event
    case 'gates_ran':
      return row.stage === 'verifying' ? heldGates(standing, event) : event
    case 'finished':
      return memory.checksMain ? event : heldBranch(standing, event)
    case 'main_checked':
      return { ...event, byMaker: await wasCheckedByMaker(ctx, order) }
    default:
      return event
  }
}

const refused = (error: string, failureClass: 'policy' | 'persistent' = 'policy'): CheckedReport => ({
  type: 'failed',
  failureClass,
  error,
})

const short = (commit: string) => commit.slice(0, 12)

/** Where a run began stays where it began, and the agent is kept in as the policy wants. */
function heldBeginning({ memory, policy }: Standing, event: Of<'begun'>): CheckedReport {
  if (memory.base !== null && memory.base !== event.base)
    return refused(
      `The runner began from ${short(event.base)}, but the run began from ${short(memory.base)}.`,
    )
  for (const { name, base } of event.others ?? []) {
    const part = otherPart(memory, name)
    if (!part) return refused(strangeTo(name))
    if (part.base !== null && part.base !== base)
      return refused(
        `The runner began in ${name} from ${short(base)}, but the run began from ${short(part.base)}.`,
      )
  }
  // A policy that lets the provider's tools reach the network does not need it closed.
  const isOpen = (policy.modelTools?.length ?? 0) > 0
  const lacks = lackingFor(policy.isolation, event.isolation).filter(
    (lack) => !(isOpen && lack === 'networkOnlyToGateway'),
  )
  return lacks.length === 0
    ? event
    : refused(`The policy requires the runner to ${lacks.map((fact) => isolationLacks[fact]).join(' and ')}.`)
}

/** What is pinned is no part of the change: so it lies in the one folder that a spec has, and can be read. */
async function heldSpec(
  { ctx, order, row, memory }: Standing,
  event: Of<'spec_pinned'>,
): Promise<CheckedReport> {
  const { repository } = event.spec
  if (repository !== undefined && !memory.parts.some(({ name }) => name === repository))
    return refused(strangeTo(repository))
  const folder = `.kanman/acceptance/${row.story.key}`
  if (event.spec.folder !== folder)
    return refused(`An acceptance spec of this story belongs in ${folder}, not in ${event.spec.folder}.`)
  const files = await pinnedFiles(ctx, order.runId, event.spec)
  return files.size > 0 ? event : refused('The pinned acceptance spec can’t be read.', 'persistent')
}

/** Work that is set aside for an answer is looked at like any other: the next order begins there. */
async function heldQuestion(standing: Standing, event: Of<'question_asked'>): Promise<CheckedReport> {
  // In the other stages there is a change already, and it is the one that was looked at.
  if (standing.row.stage !== 'implementing') return { ...event, work: null, others: [] }
  const { work, others = [] } = event
  const strange = others.find(({ name }) => !otherPart(standing.memory, name))
  if (strange) return refused(strangeTo(strange.name))
  const first = standing.memory.parts[0]?.name
  for (const one of [...(work ? [{ name: first, work }] : []), ...others]) {
    const derived = await derive(standing, one.work, one.name)
    if ('refused' in derived) return refused(derived.refused)
  }
  return event
}

/** The first is spoken of apart. */
const otherPart = (memory: Memory, name: string): Part | undefined =>
  partsOf(memory)
    .slice(1)
    .find((part) => part.name === name)

const strangeTo = (name: string) => `The runner worked in ${name}, which this run has nothing to do with.`

async function heldChange(standing: Standing, event: Of<'change_ready'>): Promise<CheckedReport> {
  const { memory } = standing
  if (memory.parts.length > 0) return heldChanges(standing, event)
  const { work } = event
  if (!work)
    return refused('The runner reported a change without handing it in. Upgrade the runner.', 'persistent')
  const held = await heldWork(standing, { ...event, work })
  if ('refused' in held) return refused(held.refused)
  const { change, diff, found, derived } = held
  return { type: 'change_ready', pullRequest: null, ...{ change, work, diff, ...told(found) }, derived }
}

/** In several repositories: each is looked at like any, and nothing is taken of one that the run is not about. */
async function heldChanges(standing: Standing, event: Of<'change_ready'>): Promise<CheckedReport> {
  const { memory } = standing
  const { work, others = [] } = event
  const each = [...(work ? [{ ...event, name: memory.parts[0]!.name, work }] : []), ...others]
  const names = each.map(({ name }) => name)
  const strange = others.find(({ name }) => !otherPart(memory, name))
  if (strange) return refused(strangeTo(strange.name))
  if (each.length === 0 || new Set(names).size < names.length)
    return refused('The runner reported a change without handing it in.', 'persistent')
  const changes: RepositoryChange[] = []
  const found: Found[] = []
  for (const one of each) {
    const { name } = one
    const held = await heldWork(standing, one, name)
    if ('refused' in held) return refused(`${name}: ${held.refused}`)
    const { change, diff, derived } = held
    changes.push({ name, change, work: one.work, diff, derived })
    found.push(...held.found.map(({ kind, says }) => ({ kind, says: `${name}: ${says}` })))
  }
  return { type: 'change_ready', pullRequest: null, change: wholeChange(changes), changes, ...told(found) }
}

/** What the server has read out of the work in one repository, whatever was said of it. */
async function heldWork(
  standing: Standing,
  event: Pick<Of<'change_ready'>, 'change' | 'diff'> & { work: Work },
  name?: string,
): Promise<
  { change: Evidence['changes']; diff: string; found: Found[]; derived: Derived } | { refused: string }
> {
  const { ctx, order, memory } = standing
  const { work } = event
  const derived = await derive(standing, work, name)
  if ('refused' in derived) return derived
  if (memory.pushed && !derived.commits.includes(memory.pushed.head))
    return {
      refused: `The work does not contain the commit ${short(memory.pushed.head)}, which was handed off.`,
    }
  const { change, tree, commits, outside, pinnedPaths } = derived
  const bytes = Buffer.from(derived.diff)
  const diff = createHash('sha256').update(bytes).digest('hex')
  await keepFile(ctx, { order, sha256: diff, bytes })
  return {
    ...{ change, diff, found: [...derived.findings, ...toldOtherwise(event.change, change)] },
    derived: {
      ...{ base: work.base, head: work.head, tree, outside, pinnedPaths },
      commits: commits.length,
      toldDiff: event.diff ?? null,
    },
  }
}

/** A file that was not uploaded is answered as such: the runner that has the order can still upload it. */
async function derive(
  { ctx, order, memory, policy, reader }: Standing,
  work: Work,
  name?: string,
): Promise<DerivedChange | { refused: string }> {
  const { base } = partsOf(memory).find((part) => part.name === name) ?? memory
  if (base !== null && work.base !== base)
    return {
      refused: `The work begins at ${short(work.base)}, but the run began from ${short(base)}.`,
    }
  const spec = name === undefined ? memory.spec : specInTurn({ ...memory, at: name }, memory.spec)
  const exceptions = name === undefined ? memory.exceptions : pathsWithin(memory, name, memory.exceptions)
  return deriveChange(ctx, reader, {
    ...{ runId: order.runId, work, spec, exceptions },
    deniedPaths: policy.deniedPaths,
  })
}

/** Findings about a runner whose report differs from its change: what it says of the gates can't be checked either. */
function toldOtherwise(said: Evidence['changes'], is: Evidence['changes']): Found[] {
  const lists = ({ paths }: Evidence['changes']) => paths.toSorted().join('\n')
  const counts = ({ additions, deletions }: Evidence['changes']) => `+${additions} −${deletions}`
  return [
    ...(lists(sanitizeJson(is)) === lists(said)
      ? []
      : ['The runner reported other paths than the change has. What is shown here is what the change has.']),
    ...(counts(is) === counts(said)
      ? []
      : [`The runner reported ${counts(said)} lines. The change has ${counts(is)}.`]),
  ].map((says) => ({ kind: 'report', says }))
}

const mostFindings = 200

/** Findings beyond what anyone reads are counted, not listed. */
function told(found: Found[]): { findings: string[]; kinds: FoundKind[] } {
  const shown = found.slice(0, mostFindings - 1).map(({ says }) => says.slice(0, 1_000))
  const rest = found.length - shown.length
  return {
    findings: rest > 0 ? [...shown, `And ${rest} more like these.`] : shown,
    kinds: [...new Set(found.map(({ kind }) => kind))],
  }
}

/** About the commit that was handed in. What is signed is compared in full when it is taken. */
function heldGates({ memory }: Standing, event: Of<'gates_ran'>): CheckedReport {
  if (!memory.derived) return refused(beforeUs, 'persistent')
  const { commit } = event.evidence
  if (commit !== memory.derived.head)
    throw new DomainError(
      'invalid_request',
      `The evidence was not accepted: it is about ${short(commit)}, and the change is ${short(memory.derived.head)}.`,
    )
  return event.envelope ? event : { ...event, isUnsigned: true }
}

/** The branch must have a name that the server gives it. The machine compares its commit. */
function heldBranch({ memory, row }: Standing, event: Of<'finished'>): CheckedReport {
  if (!memory.derived) return refused(beforeUs, 'persistent')
  const { branch } = event
  const names = Array.from({ length: row.attempt }, (_, at) => `signalbox/${row.run}/${at + 1}`)
  if (!branch || !names.includes(branch.name))
    return refused(
      `The runner pushed ${branch ? branch.name : 'no branch'}, where only ${names.at(-1)} is merged from.`,
    )
  return event
}

const beforeUs =
  'The change was handed in to an older version of this server, which did not look at it. Retry the run.'
