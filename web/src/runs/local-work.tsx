import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { UserRound } from 'lucide-react'
import { Coded } from '../ui/coded.tsx'
import { Time } from '../ui/time.tsx'
import { stages } from '../words/runs.tsx'

/** Who works on the run on their own machine, since when, and what they last said of it. */
export function LocalWork({ local }: { local: NonNullable<RunPage['local']> }) {
  const { person, agent, since, active, leaseUntil, progress, handedOff } = local
  return (
    <section aria-label="Local work" className="mb-5 rounded-lg border bg-surface p-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-1.5">
        <UserRound size={14} aria-hidden="true" className="shrink-0 text-muted" />
        <span className="font-medium">{person}</span>
        {active ? 'has been working on it locally since' : 'began working on it locally'}
        <Time at={since} />
        {agent && `with ${agent}`}
      </p>
      {progress && (
        <p className="mt-2 [overflow-wrap:anywhere]">
          <span className="text-muted">
            Reported <Time at={progress.at} />
            {progress.stage && `, ${stages[progress.stage].toLowerCase()}`}:
          </span>{' '}
          {progress.message}
        </p>
      )}
      {handedOff && (
        <div className="mt-2 [overflow-wrap:anywhere]">
          <p>
            <span className="text-muted">
              Handed off <Time at={handedOff.at} />:
            </span>{' '}
            <bdi>
              <Coded text={handedOff.summary} />
            </bdi>
          </p>
          <ul className="mt-1 text-xs text-muted">
            {handedOff.branch && (
              <li>
                Branch <code className="font-mono">{handedOff.branch}</code>
                {handedOff.commit && (
                  <>
                    {' '}
                    at <code className="font-mono">{handedOff.commit.slice(0, 12)}</code>
                  </>
                )}
              </li>
            )}
            {handedOff.pullRequestUrl && (
              <li>
                Reported pull request:{' '}
                <a
                  href={handedOff.pullRequestUrl}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="text-accent underline"
                >
                  {handedOff.pullRequestUrl}
                </a>
              </li>
            )}
          </ul>
        </div>
      )}
      <p className="mt-2 text-xs text-muted">
        Reports from a local agent aren’t proof. Gates run on a runner before anything is merged.
        {active && leaseUntil && (
          <>
            {' '}
            Without another report, the story returns to Ready <Time at={leaseUntil} />.
          </>
        )}
      </p>
    </section>
  )
}
