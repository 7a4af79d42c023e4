import type { Context } from '../../context.ts'
import type { EndedSpan, Tracing } from '../../ports/tracing.ts'
import { segmentKinds } from '../../work/runs/page/timeline.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { stepNamed, type TracedStep } from '../lifecycle/announce-step.ts'
import { orderSpan, sampledTrace, spanIdIn } from '../machine/trace.ts'
import { selectIncidentOf, selectTracedRun, selectTraceOfEffect } from './trace-store.ts'

/** A fix is filed while its incident is young; earlier ones are not looked through. */
const incidentMs = 30 * 24 * 3_600_000

/**
 * Records the spans that a step of a run has ended, from what is written of it: no node has to live as long as a run.
 * Their ids follow from the trace, so what is recorded twice is the same span.
 */
export async function traceStep(
  ctx: Context,
  name: string,
  tracing: Pick<Tracing, 'record'> | null,
): Promise<void> {
  if (!tracing) return
  const step = stepNamed(name)
  const run = await selectTracedRun(ctx.db, ctx.workspaceId, step.runId, step.version, step.endedFence)
  const trace = sampledTrace(run?.traceparent ?? null)
  if (!run || !trace) return
  const last = run.marks.at(-1)
  const isOver = last?.seq === step.version && !isOpen(last.phase)
  const incident = isOver
    ? ((await selectIncidentOf(
        ctx.db,
        ctx.workspaceId,
        run.story,
        new Date(run.storyAt - incidentMs),
        new Date(run.storyAt + 1),
      )) ?? null)
    : null
  tracing.record(trace.traceId, [
    ...spansOfStep(run, trace, step),
    ...(isOver ? spansOfEnd(run, trace, last, incident) : []),
  ])
}

/** Performs an effect of a run as a part of its trace: the calls it takes and the lines it logs belong there. */
export async function inTraceOfRun<T>(
  ctx: Context,
  effectId: string,
  tracing: Pick<Tracing, 'within'> | null,
  perform: () => Promise<T>,
): Promise<T> {
  const traced = tracing && (await selectTraceOfEffect(ctx.db, ctx.workspaceId, effectId))
  const of = sampledTrace(traced?.traceparent ?? null)
  return tracing && traced && of ? tracing.within({ name: `effect ${traced.kind}`, of }, perform) : perform()
}

type TracedRun = NonNullable<Awaited<ReturnType<typeof selectTracedRun>>>
type Trace = NonNullable<ReturnType<typeof sampledTrace>>

const internal = { kind: 'internal', failed: false } as const

const aboutRun = ({ key, team, story }: TracedRun) => ({
  'signalbox.run': key,
  'signalbox.team': team,
  'signalbox.story': story,
})

/** The order that was worked on until then, or what the run waited for. */
export function spansOfStep(
  run: TracedRun,
  { traceId, spanId }: Trace,
  { version, endedFence }: TracedStep,
): EndedSpan[] {
  const spans: EndedSpan[] = []
  const { order } = run
  if (order)
    spans.push({
      ...internal,
      id: orderSpan(traceId, endedFence),
      parent: spanId,
      name: order.job === 'stage' ? `stage ${order.stage}` : order.job,
      ...{ from: order.from, to: order.to },
      attributes: {
        ...aboutRun(run),
        'signalbox.stage': order.stage,
        'signalbox.attempt': order.attempt,
        ...(order.executor ? { 'signalbox.executor': order.executor } : {}),
      },
    })
  const rest = restBefore(run, version)
  if (rest && rest.to > rest.from) {
    const asked = rest.kind === 'wait' ? run.decisions.findLast(({ at }) => at <= rest.to) : undefined
    spans.push({
      ...internal,
      id: spanIdIn(traceId, `rest/${rest.seq}`),
      parent: spanId,
      name: restNames[rest.kind],
      ...{ from: rest.from, to: rest.to },
      attributes: {
        ...aboutRun(run),
        'signalbox.stage': rest.stage,
        'signalbox.attempt': rest.attempt,
        ...(asked ? { 'signalbox.decision.kind': asked.kind } : {}),
      },
    })
  }
  return spans
}

const restNames = { queue: 'queued', wait: 'decision', merge: 'merge' }

/** The time without a worker that ended with a step: in the queue, waiting for a person, at the git host. */
function restBefore({ marks, createdAt }: TracedRun, version: number) {
  const at = marks.findIndex(({ seq }) => seq === version)
  const end = marks[at]
  if (!end) return null
  const kindOf = (index: number) => (index < 0 ? 'queue' : segmentKinds[marks[index]!.phase])
  const kind = kindOf(at - 1)
  if (kind === null || kind === 'work' || kind === kindOf(at)) return null
  let first = at - 1
  while (first > 0 && kindOf(first - 1) === kind) first -= 1
  const begun = marks[first] ?? { ...end, seq: 0, at: createdAt }
  return { kind, seq: begun.seq, stage: begun.stage, attempt: begun.attempt, from: begun.at, to: end.at }
}

/** The whole: from the incident or the story to where the run has come, and what was before the run. */
export function spansOfEnd(
  run: TracedRun,
  { traceId, spanId }: Trace,
  { phase, at }: TracedRun['marks'][number],
  incident: { key: string; openedAt: number } | null,
): EndedSpan[] {
  const before: EndedSpan[] = []
  if (incident)
    before.push({
      ...internal,
      id: spanIdIn(traceId, 'incident'),
      parent: spanId,
      name: 'incident',
      ...{ from: incident.openedAt, to: run.storyAt },
      attributes: { ...aboutRun(run), 'signalbox.incident': incident.key },
    })
  before.push({
    ...internal,
    id: spanIdIn(traceId, 'story'),
    parent: spanId,
    name: run.tracker ? 'issue' : 'story',
    ...{ from: run.storyAt, to: run.createdAt },
    attributes: { ...aboutRun(run), ...(run.tracker ? { 'signalbox.tracker': run.tracker } : {}) },
  })
  const whole: EndedSpan = {
    ...internal,
    id: spanId,
    parent: null,
    name: 'run',
    from: Math.min(run.createdAt, run.storyAt, incident?.openedAt ?? run.storyAt),
    to: at,
    failed: phase !== 'succeeded',
    attributes: { ...aboutRun(run), 'signalbox.outcome': phase, 'signalbox.attempts': run.attempts },
  }
  return [...before, whole]
}
