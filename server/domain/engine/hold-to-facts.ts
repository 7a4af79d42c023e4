import { createHash } from 'node:crypto'
import { isolationLacks, lackingFor } from '@signalbox/contract/isolation.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { Work } from '@signalbox/contract/runner/messages.ts'
import { type DerivedChange, deriveChange, pinnedFiles } from '../changes/derive.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { keepFile } from '../files/keep.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { ChangeReader } from '../ports/change-reader.ts'
import type { OrderRef, WorkEvent } from '../ports/work.ts'
import { blank, type FoundKind, type Heard, type Memory } from './machine.ts'
import { type OrderRow, selectOrder } from './order-store.ts'
import { wasCheckedByMaker } from './own-check.ts'
import { storable } from './storable.ts'

type Of<T extends WorkEvent['type']> = Extract<WorkEvent, { type: T }>

interface Found {
  kind: FoundKind
  says: string
}

/** An order as it stands when its runner reports. */
interface Standing {
  ctx: Context
  order: OrderRef
  row: OrderRow
  memory: Memory
  policy: Awaited<ReturnType<typeof policySnapshot>>
  reader: ChangeReader
}

/**
 * What a runner says, held against what the server knows or can find out by itself. What it finds out counts, whatever
 * was said; what cannot be true ends the order with the reason. Before the transaction, since it takes its time: while
 * the order is current nothing of what is looked at here changes but by its own reports, which come one by one.
 */
export async function heldToFacts(
  ctx: Context,
  order: OrderRef,
  event: Exclude<WorkEvent, { type: 'usage' | 'progress' | 'proposal_made' }>,
  reader: ChangeReader,
): Promise<Heard> {
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

const refused = (error: string, failureClass: 'policy' | 'persistent' = 'policy'): Heard => ({
  type: 'failed',
  failureClass,
  error,
})

const short = (commit: string) => commit.slice(0, 12)

/** Where a run began stays where it began, and the agent is kept in as the policy wants. */
function heldBeginning({ memory, policy }: Standing, event: Of<'begun'>): Heard {
  if (memory.base !== null && memory.base !== event.base)
    return refused(
      `The runner began from ${short(event.base)}, but the run began from ${short(memory.base)}.`,
    )
  // Whoever lets a provider reach the network has said that it need not be closed.
  const isOpen = (policy.modelTools?.length ?? 0) > 0
  const lacks = lackingFor(policy.isolation, event.isolation).filter(
    (lack) => !(isOpen && lack === 'networkOnlyToGateway'),
  )
  return lacks.length === 0
    ? event
    : refused(`The policy wants the runner to ${lacks.map((fact) => isolationLacks[fact]).join(' and ')}.`)
}

/** What is pinned is no part of the change: so it lies in the one folder that a spec has, and can be read. */
async function heldSpec({ ctx, order, row }: Standing, event: Of<'spec_pinned'>): Promise<Heard> {
  const folder = `.kanman/acceptance/${row.story.key}`
  if (event.spec.folder !== folder)
    return refused(`An acceptance spec of this story belongs in ${folder}, not in ${event.spec.folder}.`)
  const files = await pinnedFiles(ctx, order.runId, event.spec)
  return files.size > 0 ? event : refused('The pinned acceptance spec can’t be read.', 'persistent')
}

/** Work that is set aside for an answer is looked at like any: whoever goes on begins there. */
async function heldQuestion(standing: Standing, event: Of<'question_asked'>): Promise<Heard> {
  // In the other stages there is a change already, and it is the one that was looked at.
  if (!event.work || standing.row.stage !== 'implementing') return { ...event, work: null }
  const derived = await derive(standing, event.work)
  return 'refused' in derived ? refused(derived.refused) : event
}

async function heldChange(standing: Standing, event: Of<'change_ready'>): Promise<Heard> {
  const { ctx, order, memory } = standing
  const { work } = event
  if (!work)
    return refused('The runner reported a change without handing it in. Upgrade the runner.', 'persistent')
  const derived = await derive(standing, work)
  if ('refused' in derived) return refused(derived.refused)
  if (memory.pushed && !derived.commits.includes(memory.pushed.head))
    return refused(`The work does not hold the commit ${short(memory.pushed.head)}, which was handed off.`)
  const { change, tree, commits, outside, pinnedPaths } = derived
  const findings = [...derived.findings, ...toldOtherwise(event.change, change)]
  const bytes = Buffer.from(derived.diff)
  const diff = createHash('sha256').update(bytes).digest('hex')
  await keepFile(ctx, { order, sha256: diff, bytes })
  return {
    type: 'change_ready',
    pullRequest: null,
    ...{ change, work, diff, ...told(findings) },
    derived: {
      ...{ base: work.base, head: work.head, tree, outside, pinnedPaths },
      commits: commits.length,
      toldDiff: event.diff ?? null,
    },
  }
}

/** A file that was not uploaded is answered as such: whoever has the order still can. */
async function derive(
  { ctx, order, memory, policy, reader }: Standing,
  work: Work,
): Promise<DerivedChange | { refused: string }> {
  if (memory.base !== null && work.base !== memory.base)
    return {
      refused: `The work begins at ${short(work.base)}, but the run began from ${short(memory.base)}.`,
    }
  const { spec, exceptions } = memory
  return deriveChange(ctx, reader, {
    ...{ runId: order.runId, work, spec, exceptions },
    deniedPaths: policy.deniedPaths,
  })
}

/** A runner that tells another story than its work is worth a word: what it says of the gates nobody can check. */
function toldOtherwise(said: Evidence['changes'], is: Evidence['changes']): Found[] {
  const lists = ({ paths }: Evidence['changes']) => paths.toSorted().join('\n')
  const counts = ({ additions, deletions }: Evidence['changes']) => `+${additions} −${deletions}`
  return [
    ...(lists(storable(is)) === lists(said)
      ? []
      : ['The runner reported other paths than the change has. What is shown here is what the change has.']),
    ...(counts(is) === counts(said)
      ? []
      : [`The runner reported ${counts(said)} lines. The change has ${counts(is)}.`]),
  ].map((says) => ({ kind: 'report', says }))
}

const mostFindings = 200

/** Whoever makes more than anybody reads is still told of. */
function told(found: Found[]): { findings: string[]; kinds: FoundKind[] } {
  const shown = found.slice(0, mostFindings - 1).map(({ says }) => says.slice(0, 1_000))
  const rest = found.length - shown.length
  return {
    findings: rest > 0 ? [...shown, `And ${rest} more like these.`] : shown,
    kinds: [...new Set(found.map(({ kind }) => kind))],
  }
}

/** About the commit that was handed in. What is signed is compared in full when it is taken. */
function heldGates({ memory }: Standing, event: Of<'gates_ran'>): Heard {
  if (!memory.derived) return refused(beforeUs, 'persistent')
  const { commit } = event.evidence
  if (commit !== memory.derived.head)
    throw new DomainError(
      'invalid_request',
      `The evidence is not taken: it is about ${short(commit)}, and the change is ${short(memory.derived.head)}.`,
    )
  return event.envelope ? event : { ...event, isUnsigned: true }
}

/** The branch has the name that the server gives it, and stands where the change does. */
function heldBranch({ memory, row }: Standing, event: Of<'finished'>): Heard {
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
