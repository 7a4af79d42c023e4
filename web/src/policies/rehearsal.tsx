import type { Rehearsal, RehearsedRun } from '@signalbox/contract/app/policies.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { type Failure, write } from '../api/client.ts'
import { useWorkspace } from '../api/queries.ts'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Loaded } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { type Draft, settingsOf } from './differences.ts'
import { limitsOf, outcomeOf, summaryOf } from './rehearsed.ts'

/** What a policy would have done to the team's latest runs. */
export function RehearsalSection({ team, draft }: { team: string; draft: Draft }) {
  const ws = useWorkspace()
  const input = { team, preset: draft.preset, settings: settingsOf(draft) }
  // Not one of the policy's own reads: those are read again once it is saved, and then this is no longer shown.
  const rehearsal = useQuery<Rehearsal, Failure>({
    queryKey: [ws, 'rehearsal', input],
    queryFn: () => write(ws, 'policies.rehearse', input, []),
  })
  return (
    <Titled>
      <Loaded of={rehearsal} lines={2}>
        {(found) => <Found of={found} />}
      </Loaded>
    </Titled>
  )
}

/** The same, of a rehearsal that came with what is proposed. */
export const RehearsalFound = ({ of }: { of: Rehearsal }) => (
  <Titled>
    <Found of={of} />
  </Titled>
)

function Titled({ children }: { children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 text-sm font-medium">
        If this policy had been in place for the last 30 days
      </h3>
      {children}
    </section>
  )
}

/** Long lists stay closed. */
const mostOpen = 4

function Found({ of }: { of: Rehearsal }) {
  const { changed } = of
  const list = <Runs of={changed} />
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>{summaryOf(of)}</p>
      {changed.length > mostOpen ? (
        <details>
          <summary className="w-fit text-xs leading-6 font-medium text-accent">{changed.length} runs</summary>
          <div className="mt-1">{list}</div>
        </details>
      ) : (
        changed.length > 0 && list
      )}
      {limitsOf(of).map((limit) => (
        <p key={limit} className="text-xs text-muted">
          {limit}
        </p>
      ))}
      {of.runs > 0 && (
        <p className="text-xs text-muted">
          {of.baseline === null
            ? 'The team has no policy yet, so each run is compared with no policy at all.'
            : `Each run is compared with what the current policy (version ${of.baseline}) would do with it, whatever policy it had.`}{' '}
          Not compared: concurrent runs, the coding agent, the gate failure budget, rework after reviews,
          maintenance, who may answer and what happens when an issue leaves.
        </p>
      )}
    </div>
  )
}

const Runs = ({ of }: { of: RehearsedRun[] }) => (
  <Table
    caption="Runs that differ, under the current policy and the proposed one"
    rows={of}
    keyOf={({ run }) => run}
    columns={[
      {
        title: 'Run',
        cell: (run) => (
          <>
            {/* In a tab of its own: what was typed stays here. */}
            <KeyLink
              to="run"
              of={run.run}
              target="_blank"
              className="font-mono text-xs text-accent hover:underline"
            />{' '}
            <span className="text-xs text-muted">
              <Time at={run.at} />
            </span>
            <p dir="auto" className="break-words">
              <Coded text={run.title} />
            </p>
          </>
        ),
      },
      { title: 'Current policy', cell: (run) => <Outcomes of={run} policy="current" /> },
      { title: 'Proposed policy', cell: (run) => <Outcomes of={run} policy="proposed" /> },
    ]}
  />
)

const Outcomes = ({ of, policy }: { of: RehearsedRun; policy: 'current' | 'proposed' }) => (
  <ul className="text-xs break-words">
    {of.differences.map((difference) => (
      <li key={`${difference.effect} ${difference.more}`}>{outcomeOf(difference, policy, of)}</li>
    ))}
  </ul>
)
