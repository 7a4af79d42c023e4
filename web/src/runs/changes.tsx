import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { FileDiff, FileText, Lock } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty, Section } from '../ui/page.tsx'
import { PullRequest } from './pull-request.tsx'

/** What a run is measured by: no run may change it. */
const acceptanceFolder = '.kanman/acceptance/'

export function Changes({ detail: { run, changes } }: { detail: RunPage }) {
  const link = run.pullRequest && (
    <PullRequest url={run.pullRequest.url} className={buttonClass('plain', 'small')}>
      Diff in pull request #{run.pullRequest.number}
    </PullRequest>
  )
  if (!changes || changes.files === 0)
    return (
      <Empty icon={FileDiff} title="No changes yet" action={link}>
        Files show up here once the agent has changed them.
      </Empty>
    )
  const paths = changes.paths.toSorted()
  return (
    <Section
      title={`${changes.files} changed ${changes.files === 1 ? 'file' : 'files'}`}
      hint={
        <>
          <span className="text-ok">+{changes.additions.toLocaleString('en')} added</span>,{' '}
          <span className="text-danger">−{changes.deletions.toLocaleString('en')} deleted</span> lines
        </>
      }
      aside={link}
    >
      <ul className="divide-y rounded-lg border bg-surface">
        {paths.map((path) => {
          const isLocked = path.startsWith(acceptanceFolder)
          return (
            <li
              key={path}
              className={`flex min-h-9 flex-wrap items-center gap-2 px-3 py-1.5 ${isLocked ? 'bg-warn-soft/40' : ''}`}
            >
              {isLocked ? (
                <Lock size={14} aria-hidden="true" className="shrink-0 text-warn" />
              ) : (
                <FileText size={14} aria-hidden="true" className="shrink-0 text-muted" />
              )}
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{path}</code>
              {isLocked && <Badge tone="warn" word="Acceptance spec, locked" />}
            </li>
          )
        })}
      </ul>
      {paths.length < changes.files && (
        <p className="mt-2 text-xs text-muted">
          {changes.files - paths.length} more files are in the pull request.
        </p>
      )}
    </Section>
  )
}
