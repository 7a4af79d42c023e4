import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useMemo } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { Commenting } from '../changes/line-comments.tsx'
import { StoredDiff } from '../changes/stored-diff.tsx'
import { PullRequest } from '../runs/pull-request.tsx'
import { commentsOf } from './drafts.ts'
import { Heading, type Level } from './heading.tsx'

/** Kinds that let a change pass, or refuse it. */
const aboutChanges: DecisionRow['kind'][] = [
  'merge_approval',
  'diff_guard',
  'policy_exception',
  'revert_approval',
]

/** As many lines stand above the answer; the rest is folded, so that it stays within reach. */
const mostLines = 300

interface Props {
  decision: DecisionRow
  full: DecisionPage | undefined
  level: Level
}

/** What is decided about: the change itself. */
export function DecisionChanges({ decision, full, level }: Props) {
  const ws = useWorkspace()
  const run = decision.runKey ?? full?.changesOf
  const changes = decision.options.find(({ action }) => action === 'request_changes')?.id
  const comments = useMemo(
    () => (changes && decision.status === 'pending' ? commentsOf(ws, decision.key, changes) : null),
    [ws, decision.key, decision.status, changes],
  )
  if (!run || !aboutChanges.includes(decision.kind)) return null
  const isPending = decision.status === 'pending'
  return (
    <section>
      <Heading level={level} className="mb-2">
        {decision.kind === 'revert_approval' ? 'Changes to be reverted' : 'Changes'}
      </Heading>
      {!isPending && (
        <p className="mb-3 text-sm text-muted">
          These are the run’s changes now. They may differ from what was decided on.
        </p>
      )}
      <Commenting value={comments}>
        <StoredDiff
          run={run}
          level={level === 2 ? 3 : 4}
          // The n of the other screens writes a note here.
          keys={{ next: 'f', previous: 'F' }}
          mostLines={isPending ? mostLines : 0}
          missing={
            <p className="text-sm text-muted">
              This run has no stored diff.
              {full?.run?.pullRequest && (
                <>
                  {' '}
                  Look at it in{' '}
                  <PullRequest url={full.run.pullRequest.url}>
                    pull request #{full.run.pullRequest.number}
                  </PullRequest>
                  .
                </>
              )}
            </p>
          }
        />
      </Commenting>
    </section>
  )
}
