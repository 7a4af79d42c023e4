import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { CircleX, Hand, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { grouped } from '../browser/formats.ts'
import { buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Time } from '../ui/time.tsx'
import { kinds } from '../words/decisions.ts'
import { failures } from '../words/failures.ts'
import { isOver, statuses } from '../words/runs.tsx'
import { LineText, toneClass } from './line-text.tsx'

/** What keeps the run from going on, on top of everything else: a failure, a question, an obstacle. */
export function Trouble({ detail, tab }: { detail: RunPage; tab: string }) {
  const { run } = detail
  if (run.status === 'failed' || run.status === 'timed_out')
    return <Failed key={tab} detail={detail} tab={tab} />
  if (run.status === 'waiting') return <Waiting detail={detail} />
  if (!isOver(run.status) && detail.reason) return <Held detail={detail} />
  return null
}

/** Whole on the first tab; on the others it is one line that unfolds, and the log is not shown twice. */
function Failed({ detail: { run }, tab }: { detail: RunPage; tab: string }) {
  const failure = run.failureClass ? failures[run.failureClass] : null
  const title = `${statuses[run.status].word}${failure ? `: ${failure.word}` : ''}`
  const icon = <CircleX size={18} aria-hidden="true" />
  if (tab === 'timeline')
    return (
      <Box tone="danger" icon={icon}>
        <h2 className="font-semibold">{title}</h2>
        <WhyFailed run={run} />
        <Excerpt run={run.key} />
      </Box>
    )
  return (
    <Box tone="danger" icon={icon} isLow>
      <details>
        <summary className="min-h-6 font-semibold">
          <h2 className="inline">{title}</h2>
        </summary>
        <WhyFailed run={run} />
        {tab !== 'logs' && <Excerpt run={run.key} />}
      </details>
    </Box>
  )
}

function WhyFailed({ run }: { run: RunPage['run'] }) {
  const failure = run.failureClass ? failures[run.failureClass] : null
  const cause = run.attemptList.at(-1)?.error
  return (
    <>
      {cause && (
        <p className="mt-1 break-words">
          <RefusalText text={cause} />
        </p>
      )}
      {failure && (
        <p className="mt-1 text-muted">
          {failure.means} <span className="text-text">{failure.next}</span>
        </p>
      )}
    </>
  )
}

function Excerpt({ run }: { run: string }) {
  const tail = useRead('runs.logTail', { key: run, lines: 10 })
  if (!tail.data || tail.data.lines.length === 0) return null
  return (
    <>
      <h3 className="mt-3 mb-1 text-xs font-medium text-muted">Last lines of the log</h3>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="Last lines of the log"
        className="overflow-x-auto rounded-md border bg-bg p-2 font-mono text-xs leading-5 whitespace-pre"
      >
        {tail.data.lines.map(({ position, text, colours }) => (
          <div key={position} className={toneClass(text, colours ?? undefined)}>
            <LineText text={text || ' '} colours={colours ?? undefined} />
          </div>
        ))}
      </section>
      <Link
        to="/$ws/runs/$key"
        params={{ key: run }}
        search={{ tab: 'logs' }}
        className="mt-1 inline-flex min-h-6 items-center text-xs text-accent hover:underline"
      >
        View {tail.data.total === 1 ? '1 line' : `all ${grouped(tail.data.total)} lines`}
      </Link>
    </>
  )
}

function Waiting({ detail: { decisions } }: { detail: RunPage }) {
  const pending = decisions.find(({ status }) => status === 'pending')
  const may = useMay(pending?.authority ?? 'member')
  if (!pending) return null
  return (
    <Box tone="warn" icon={<Hand size={18} aria-hidden="true" />}>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="font-semibold break-words">
            {may ? 'Waiting for you' : `Waiting for an ${pending.authority}`}: {kinds[pending.kind].name}
          </h2>
          <p dir="auto" className="mt-0.5 break-words text-muted">
            <Coded text={pending.title} />
          </p>
          <p className="mt-0.5 text-xs text-muted">
            Asked <Time at={pending.createdAt} />
            {pending.expiresAt && (
              <>
                {' · '}expires <Time at={pending.expiresAt} />
              </>
            )}
          </p>
        </div>
        <KeyLink to="decision" of={pending.key} className={buttonClass('primary')}>
          {may ? `Answer ${pending.key}` : `View ${pending.key}`}
        </KeyLink>
      </div>
    </Box>
  )
}

function Held({ detail: { reason, stuckSince, team } }: { detail: RunPage }) {
  return (
    <Box tone={stuckSince ? 'danger' : 'warn'} icon={<TriangleAlert size={18} aria-hidden="true" />}>
      <h2 className="font-semibold">
        {stuckSince ? (
          <>
            Stuck since <Time at={stuckSince} />
          </>
        ) : (
          'Why this run is waiting'
        )}
      </h2>
      <p className="mt-0.5 break-words">{reason && <RefusalText text={reason} />}</p>
      {team.paused && (
        <Link
          to="/$ws/teams/$team/board"
          params={{ team: team.slug }}
          className="mt-1 inline-flex min-h-6 items-center text-accent hover:underline"
        >
          Go to {team.name} to resume it
        </Link>
      )}
    </Box>
  )
}

const tones = { danger: 'border-danger/50 bg-danger-soft/40', warn: 'border-warn/50 bg-warn-soft/40' }
const iconTones = { danger: 'text-danger', warn: 'text-warn' }

interface BoxProps {
  tone: keyof typeof tones
  icon: ReactNode
  children: ReactNode
  isLow?: boolean
}

const Box = ({ tone, icon, children, isLow }: BoxProps) => (
  <section
    className={`mb-5 flex gap-3 rounded-lg border px-4 text-sm ${isLow ? 'py-2' : 'py-4'} ${tones[tone]}`}
  >
    <span className={`shrink-0 pt-px ${iconTones[tone]}`}>{icon}</span>
    <div className="min-w-0 flex-1">{children}</div>
  </section>
)
