import type { Rehearsal, RehearsedRun } from '@signalbox/contract/app/policies.ts'
import { useQuery } from '@tanstack/react-query'
import { type Failure, write } from '../api/client.ts'
import { useWorkspace } from '../api/queries.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { Loaded } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { type Draft, settingsOf } from './differences.ts'
import { differenceInWords, limitsOf, summaryOf } from './rehearsed.ts'

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
    <section aria-labelledby="rehearsal">
      <h3 id="rehearsal" className="mb-2 text-sm font-medium">
        If this policy had been in place for the last 30 days
      </h3>
      <Loaded of={rehearsal} lines={2}>
        {(found) => <Found of={found} />}
      </Loaded>
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
          Each run is compared with what happened under the policy it had. Concurrent runs, the coding agent
          and gate failures aren’t compared.
        </p>
      )}
    </div>
  )
}

const Runs = ({ of }: { of: RehearsedRun[] }) => (
  <ul className="flex flex-col gap-1.5">
    {of.map((run) => (
      <li key={run.run} className="rounded-md border px-2.5 py-1.5">
        <div className="flex flex-wrap items-baseline gap-x-2">
          {/* In a tab of its own: what was typed stays here. */}
          <KeyLink
            to="run"
            of={run.run}
            target="_blank"
            className="font-mono text-xs text-accent hover:underline"
          />
          <span className="min-w-0 break-words">{run.title}</span>
          <span className="text-xs text-muted">
            <Time at={run.at} />
          </span>
        </div>
        <ul className="text-xs break-words text-muted">
          {run.differences.map((difference) => (
            <li key={difference.effect}>{differenceInWords(difference, run)}</li>
          ))}
        </ul>
      </li>
    ))}
  </ul>
)
