import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Back } from '../ui/back.tsx'
import { CopyButton, copy } from '../ui/copy.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { NoProgress } from '../ui/no-progress.tsx'
import { Below, Loaded, Page, Tabs, tabClass } from '../ui/page.tsx'
import { Spent } from '../ui/spent.tsx'
import { executors } from '../words/executors.ts'
import { costOf, isOver, RunState, stages } from '../words/runs.tsx'
import { Changes } from './changes.tsx'
import { Cost } from './cost.tsx'
import { Elapsed } from './elapsed.tsx'
import { Evidence } from './evidence.tsx'
import { LocalWork } from './local-work.tsx'
import { Log } from './log.tsx'
import { PullRequest } from './pull-request.tsx'
import { RaceLanes } from './race.tsx'
import { RunActions } from './run-actions.tsx'
import { RunDecisions } from './run-decisions.tsx'
import { Timeline } from './timeline.tsx'
import { Trouble } from './trouble.tsx'

export function RunScreen() {
  const { key } = useParams({ from: '/$ws/runs/$key' })
  const search = useSearch({ from: '/$ws/runs/$key' })
  const tab = tabs.find((one) => one === search.tab) ?? 'timeline'
  const detail = useRead('runs.read', { key })
  useShortcuts({ '.': { what: 'Copy key', run: () => void copy(key, `${key} copied`) } })
  return (
    <Page
      // Lines of a log are long, those of a diff too, and no tab is narrower than another.
      wide
      title={detail.data?.run.story.title ?? key}
      above={
        <>
          <Back to="/$ws/runs" />
          <span aria-hidden="true">/</span>
          <span className="font-mono text-xs text-text">{key}</span>
          <CopyButton text={key} label="Copy key" />
        </>
      }
      aside={detail.data && <RunActions detail={detail.data} />}
    >
      <Loaded of={detail}>
        {(data) => (
          <>
            <Facts detail={data} />
            <Trouble detail={data} tab={tab} />
            {data.local && <LocalWork local={data.local} />}
            {data.race && <RaceLanes race={data.race} />}
            <RunTabs detail={data} here={tab} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Facts({ detail }: { detail: RunPage }) {
  const { run, team } = detail
  return (
    <dl className="mb-5 grid grid-cols-2 gap-x-6 gap-y-3 text-sm sm:flex sm:flex-wrap">
      <Fact name="Status" wide>
        <RunState run={{ ...run, phase: detail.phase }} />
        {detail.progressAt && <NoProgress since={detail.progressAt} />}
      </Fact>
      {isOver(run.status) && run.status !== 'succeeded' && <Fact name="Last stage">{stages[run.stage]}</Fact>}
      <Fact name="Story">
        <KeyLink to="story" of={run.story.key} />
      </Fact>
      <Fact name="Team">
        <Link to="/$ws/teams/$team/board" params={{ team: team.slug }} className="hover:underline">
          {team.name}
        </Link>
        {team.paused && <span className="text-muted"> (paused)</span>}
      </Fact>
      <Fact name="Coding agent">{executors[run.executor]}</Fact>
      <Fact name="Attempt">{run.attempts}</Fact>
      {run.startedAt && (
        <Fact name={run.completedAt ? 'Took' : 'Time so far'}>
          <Elapsed from={run.startedAt} to={run.completedAt} />
        </Fact>
      )}
      <Fact name="Cost">
        {detail.local ? (
          costOf({ ...run, local: detail.local })
        ) : (
          <Spent cents={run.costCents} ofCents={run.budgetCents} />
        )}
      </Fact>
      {run.pullRequest && (
        <Fact name="Pull request">
          {detail.pullRequests.length > 1 ? (
            <ul>
              {detail.pullRequests.map(({ repository, number, url }) => (
                <li key={repository}>
                  <PullRequest url={url}>
                    {repository} #{number}
                  </PullRequest>
                </li>
              ))}
            </ul>
          ) : (
            <PullRequest url={run.pullRequest.url}>#{run.pullRequest.number}</PullRequest>
          )}
        </Fact>
      )}
    </dl>
  )
}

const Fact = ({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) => (
  <div className={`min-w-0 ${wide ? 'max-sm:col-span-2' : ''}`}>
    <dt className="mb-0.5 text-xs text-muted">{name}</dt>
    <dd className="flex min-h-6 min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
  </div>
)

const tabs = ['timeline', 'logs', 'changes', 'evidence', 'decisions', 'cost'] as const
type Tab = (typeof tabs)[number]

const tabNames: Record<Tab, string> = {
  timeline: 'Timeline',
  logs: 'Logs',
  changes: 'Changes',
  evidence: 'Evidence',
  decisions: 'Decisions',
  cost: 'Cost',
}

function RunTabs({ detail, here }: { detail: RunPage; here: Tab }) {
  const counts: Partial<Record<Tab, number>> = {
    changes: detail.changes?.files ?? 0,
    decisions: detail.decisions.length,
  }
  return (
    <>
      <Tabs label="Run sections">
        {tabs.map((tab) => (
          <Link
            key={tab}
            to="/$ws/runs/$key"
            params={{ key: detail.run.key }}
            search={tab === 'timeline' ? {} : { tab }}
            replace
            className={`${tabClass.className} ${tab === here ? tabClass.activeProps.className : ''}`}
            activeOptions={{ exact: true }}
            aria-current={tab === here ? 'page' : undefined}
          >
            {tabNames[tab]}
            {counts[tab] ? <span className="text-xs text-muted tabular-nums">{counts[tab]}</span> : null}
          </Link>
        ))}
      </Tabs>
      <Below>
        {here === 'timeline' && <Timeline detail={detail} />}
        {here === 'logs' && <Log detail={detail} />}
        {here === 'changes' && <Changes detail={detail} />}
        {here === 'evidence' && <Evidence detail={detail} />}
        {here === 'decisions' && <RunDecisions detail={detail} />}
        {here === 'cost' && <Cost detail={detail} />}
      </Below>
    </>
  )
}
