import type { RunPage, RunStep, Segment } from '@signalbox/contract/app/runs.ts'
import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { serverNow } from '../api/clock.ts'
import { useRead } from '../api/queries.ts'
import { dateOf, grouped, money } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { Link } from '../ui/link.ts'
import { Card, Empty } from '../ui/page.tsx'
import { duration } from '../ui/time.tsx'
import { executors } from '../words/executors.ts'
import { RunState, stages } from '../words/runs.tsx'
import { useEverySecond } from './elapsed.tsx'
import { type Bar, barsOf, totalsOf } from './waterfall.ts'

/** They differ in pattern as well as in colour. */
const kinds: Record<Segment['kind'], { word: string; bar: string }> = {
  queue: {
    word: 'Queued',
    bar: 'border border-dashed border-line-strong bg-hover',
  },
  work: { word: 'Working', bar: 'bg-accent-fill' },
  wait: {
    word: 'Waiting for people',
    bar: 'border border-warn bg-[image:repeating-linear-gradient(135deg,var(--warn)_0_2px,transparent_2px_7px)]',
  },
  merge: {
    word: 'Merging',
    bar: 'border border-ok bg-[image:repeating-linear-gradient(90deg,var(--ok)_0_3px,transparent_3px_6px)]',
  },
}

const kindOrder: Segment['kind'][] = ['queue', 'work', 'wait', 'merge']

/** How the run has spent its time: a bar for each stretch, and the same in words beside it. */
export function Timeline({ detail }: { detail: RunPage }) {
  const { run, timeline } = detail
  useEverySecond(timeline.at(-1)?.to === null)
  const steps = useRead('runs.steps', { key: run.key })
  const now = serverNow()
  if (timeline.length === 0)
    return (
      <Empty icon={Clock} title="Nothing here yet">
        The run is queued. It starts when its team has a free slot and enough budget.
      </Empty>
    )
  const totals = totalsOf(timeline, now)
  return (
    <>
      <dl className="mb-4 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {kindOrder
          .filter((kind) => totals[kind] > 0)
          .map((kind) => (
            <div key={kind} className="flex items-center gap-2">
              <span
                aria-hidden="true"
                className={`h-3 w-6 rounded-sm forced-color-adjust-none ${kinds[kind].bar}`}
              />
              <dt className="text-muted">{kinds[kind].word}</dt>
              <dd className="tabular-nums">{duration(totals[kind])}</dd>
            </div>
          ))}
      </dl>
      <div className="flex flex-col gap-3">
        {barsOf(timeline, now).map(({ attempt, bars }) => {
          const known = run.attemptList.find((one) => one.attempt === attempt)
          return (
            <Card key={attempt} className="p-3">
              <div className="mb-2 flex flex-wrap items-center gap-2">
                <h2 className="text-sm font-semibold">Attempt {attempt}</h2>
                {known && (
                  <>
                    <RunState
                      run={{ ...known, phase: attempt === run.attempts ? detail.phase : 'working' }}
                    />
                    <Badge word={executors[known.executor]} />
                  </>
                )}
              </div>
              <ol className="flex flex-col gap-1.5">
                {bars.map((bar) => (
                  <Row key={`${bar.from} ${bar.kind}`} bar={bar}>
                    <Steps run={run.key} steps={stepsIn(bar, steps.data?.steps ?? [])} now={now} />
                  </Row>
                ))}
              </ol>
              {known?.error && <p className="mt-2 text-sm break-words text-muted">{known.error}</p>}
            </Card>
          )
        })}
      </div>
    </>
  )
}

const Row = ({ bar, children }: { bar: Bar; children: ReactNode }) => (
  <li>
    <div className="grid grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1 text-sm md:grid-cols-[14rem_9rem_1fr]">
      <span className="min-w-0">
        {bar.kind === 'work' ? stages[bar.stage] : kinds[bar.kind].word}
        <span className="text-xs text-muted">
          {bar.kind === 'work' ? '' : `, ${stages[bar.stage].toLowerCase()}`}
        </span>
      </span>
      <span
        className="text-right text-xs whitespace-nowrap text-muted tabular-nums"
        title={`From ${dateOf(bar.from)}`}
      >
        {duration(bar.milliseconds)}
        {bar.to === null && <span className="text-text"> so far</span>}
      </span>
      <span aria-hidden="true" className="relative col-span-2 h-3 md:col-span-1">
        <span className="absolute inset-x-0 top-1/2 border-t border-dotted" />
        <span
          className={`absolute top-0 h-3 min-w-1 rounded-sm forced-color-adjust-none ${kinds[bar.kind].bar}`}
          style={{ left: `min(${bar.left * 100}%, 100% - 4px)`, width: `${bar.width * 100}%` }}
        />
      </span>
    </div>
    {children}
  </li>
)

const stepsIn = ({ kind, attempt, stage, from, to }: Bar, steps: RunStep[]) =>
  kind === 'work'
    ? steps.filter(
        (step) =>
          step.attempt === attempt &&
          step.stage === stage &&
          step.from >= from &&
          (to === null || step.from < to),
      )
    : []

/** What a worker was at, by the report that ended it. */
const ends: Record<NonNullable<RunStep['ended']>, string> = {
  begun: 'Getting the repository ready',
  plan_ready: 'Writing the plan',
  question_asked: 'Working until it asked a question',
  spec_pinned: 'Writing the acceptance spec',
  spec_failed: 'Trying to write an acceptance spec',
  change_ready: 'Changing the code',
  gates_ran: 'Running gates',
  finished: 'Pushing the branch',
  main_checked: 'Checking the main branch',
  failed: 'Working until it failed',
}

/** Each leads to what was logged in it. */
function Steps({ run, steps, now }: { run: string; steps: RunStep[]; now: number }) {
  if (steps.length === 0) return null
  return (
    <ol className="mb-1 ml-1 border-l pl-3 text-xs text-muted">
      {steps.map(({ ended, from, to, cents, lines }) => (
        <li key={from} className="flex min-h-6 flex-wrap items-center gap-x-3">
          <span className="text-text">{ended ? ends[ended] : to === null ? 'Working' : 'Stopped'}</span>
          <span className="tabular-nums">
            {duration((to === null ? now : Date.parse(to)) - Date.parse(from))}
          </span>
          {cents > 0 && <span className="tabular-nums">{money(Math.round(cents * 100) / 100)}</span>}
          {lines && (
            <Link
              to="/$ws/runs/$key"
              params={{ key: run }}
              search={{ tab: 'logs', line: `${lines.first}-${lines.last}` }}
              className="inline-flex min-h-6 items-center text-accent hover:underline pointer-coarse:min-h-[44px]"
            >
              {lines.first === lines.last
                ? `Line ${grouped(lines.first)}`
                : `Lines ${grouped(lines.first)} to ${grouped(lines.last)}`}
            </Link>
          )}
        </li>
      ))}
    </ol>
  )
}
