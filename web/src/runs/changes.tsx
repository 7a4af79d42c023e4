import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { useSearch } from '@tanstack/react-router'
import { FileDiff, FileText, Lock } from 'lucide-react'
import { counted } from '../browser/formats.ts'
import { StoredDiff } from '../changes/stored-diff.tsx'
import { isLocked } from '../changes/words.ts'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty, Section } from '../ui/page.tsx'
import { PullRequest } from './pull-request.tsx'
import { RaceChanges } from './race.tsx'

/** Files and lines that the run has changed. */
export function Changes({ detail: { run, changes, race } }: { detail: RunPage }) {
  const { at } = useSearch({ from: '/$ws/runs/$key' })
  const link = run.pullRequest && (
    <PullRequest url={run.pullRequest.url} className={buttonClass('plain', 'small')}>
      Pull request #{run.pullRequest.number}
    </PullRequest>
  )
  if (!race && (!changes || changes.files === 0))
    return (
      <Empty icon={FileDiff} title="No changes yet" action={link}>
        Files show up here once the agent has changed them.
      </Empty>
    )
  return (
    <Section title="Changes" aside={link}>
      <RaceChanges race={race}>
        {(agent) => (
          <StoredDiff
            run={run.key}
            agent={agent}
            level={3}
            keys={{ next: 'n', previous: 'p' }}
            mostLines={Number.POSITIVE_INFINITY}
            at={at}
            missing={
              race || !changes ? (
                <p className="text-sm text-muted">This agent hasn’t changed anything yet.</p>
              ) : (
                <>
                  <p className="mb-3 text-sm text-muted">
                    This run has no stored diff, so only the file names are shown.
                  </p>
                  <FileNames changes={changes} />
                </>
              )
            }
            left={!race && changes && <FileNames changes={changes} />}
          />
        )}
      </RaceChanges>
    </Section>
  )
}

/** What is known of a change whose diff was never handed over, or is gone. */
function FileNames({ changes }: { changes: NonNullable<RunPage['changes']> }) {
  const paths = changes.paths.toSorted()
  return (
    <>
      <ul className="divide-y rounded-lg border bg-surface">
        {paths.map((path) => (
          <li
            key={path}
            className={`flex min-h-9 flex-wrap items-center gap-2 px-3 py-1.5 ${isLocked(path) ? 'bg-warn-soft/40' : ''}`}
          >
            {isLocked(path) ? (
              <Lock size={14} aria-hidden="true" className="shrink-0 text-warn" />
            ) : (
              <FileText size={14} aria-hidden="true" className="shrink-0 text-muted" />
            )}
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{path}</code>
            {isLocked(path) && <Badge tone="warn" word="Acceptance spec, locked" />}
          </li>
        ))}
      </ul>
      {paths.length < changes.files && (
        <p className="mt-2 text-xs text-muted">
          {counted(changes.files - paths.length, 'more file is', 'more files are')} in the pull request.
        </p>
      )}
    </>
  )
}
