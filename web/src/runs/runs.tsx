import type { RunRow } from '@signalbox/contract/app/runs.ts'
import { useSearch } from '@tanstack/react-router'
import { PlayCircle } from 'lucide-react'
import { usePages } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { Spent } from '../ui/spent.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { executors } from '../words/executors.ts'
import { failures } from '../words/failures.ts'
import { costOf, LocalMark, RunState, statuses } from '../words/runs.tsx'
import { Elapsed } from './elapsed.tsx'
import { Reason } from './reason.tsx'
import { RunFilters, storyKey } from './run-filters.tsx'

/** Every run of the workspace, newest first, as it goes on. */
export function Runs() {
  const search = useSearch({ from: '/$ws/runs' })
  const runs = usePages('runs.list', { ...knownOf(search), limit: 50 })
  useShortcuts({
    j: { what: 'Next run', run: () => step(1) },
    k: { what: 'Previous run', run: () => step(-1) },
  })
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page title="Runs" wide>
      <RunFilters />
      <Listed
        of={runs}
        lines={10}
        empty={
          <Empty
            icon={PlayCircle}
            title={isFiltered ? 'No results' : 'No runs yet'}
            action={!isFiltered && <SubmitLink />}
          >
            {isFiltered
              ? 'Try other filters, or clear them.'
              : 'Runs start automatically when a story is in Ready and its team has a policy.'}
          </Empty>
        }
        caption="Runs, newest first"
        columns={columns}
        keyOf={({ key }) => key}
      />
    </Page>
  )
}

function SubmitLink() {
  return (
    <Link to="/$ws/intake/new" className={buttonClass('primary')}>
      Submit requirement
    </Link>
  )
}

/** An address can be written by hand: what the server would refuse is not asked for. */
function knownOf({ team, story, status, failure, executor }: Record<string, string | undefined>) {
  return {
    ...(team ? { team } : {}),
    ...(story && storyKey.test(story) ? { story } : {}),
    ...(status && Object.hasOwn(statuses, status) ? { status: status as RunRow['status'] } : {}),
    ...(failure && Object.hasOwn(failures, failure) ? { failure: failure as keyof typeof failures } : {}),
    ...(executor && Object.hasOwn(executors, executor) ? { executor: executor as RunRow['executor'] } : {}),
  }
}

function step(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('a[data-run]')]
  const here = links.indexOf(document.activeElement as HTMLElement)
  links[Math.min(links.length - 1, Math.max(0, here + by))]?.focus()
}

const columns: Column<RunRow>[] = [
  {
    title: 'Run',
    cell: ({ key }) => (
      <KeyLink
        data-run
        to="run"
        of={key}
        className="inline-flex min-h-6 items-center font-mono text-xs font-medium whitespace-nowrap text-accent hover:underline"
      />
    ),
  },
  {
    title: 'Story',
    card: 'title',
    className: 'md:max-w-72',
    cell: ({ story }) => (
      <KeyLink
        to="story"
        of={story.key}
        className="inline-block min-h-6 max-w-full py-0.5 [overflow-wrap:anywhere] hover:underline max-md:font-medium md:line-clamp-2"
      >
        <span className="mr-1.5 text-xs whitespace-nowrap text-muted">{story.key}</span>
        <bdi>
          <Coded text={story.title} />
        </bdi>
      </KeyLink>
    ),
  },
  { title: 'Team', cell: ({ teamName }) => teamName },
  {
    title: 'Status',
    className: 'md:w-[16.5rem] md:min-w-[16.5rem]',
    cell: (run) => (
      <div className="flex min-w-0 flex-col items-start gap-0.5 max-md:text-left">
        <RunState run={run} />
        {run.local && <LocalMark local={run.local} />}
        <Reason run={run} decision={run.waitsFor} />
      </div>
    ),
  },
  {
    title: 'Coding agent',
    wideOnly: true,
    cell: ({ executor, attempts }) => (
      <>
        {executors[executor]}
        {attempts > 1 && <div className="text-xs whitespace-nowrap text-muted">{attempts} attempts</div>}
      </>
    ),
  },
  {
    title: 'Cost',
    cell: (run) => (run.local ? costOf(run) : <Spent cents={run.costCents} ofCents={run.budgetCents} />),
  },
  {
    title: 'Started',
    right: true,
    cell: (run) => (
      <div className="text-xs whitespace-nowrap">
        {run.startedAt ? <Time at={run.startedAt} /> : <span className="text-muted">Not yet</span>}
        {run.startedAt && run.completedAt && (
          <div className="text-muted">
            took <Elapsed from={run.startedAt} to={run.completedAt} />
          </div>
        )}
      </div>
    ),
  },
]
