import type { DecisionInFull, DecisionPage } from '@signalbox/contract/app/decisions.ts'
import { useMemo } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { Commenting } from '../changes/line-comments.tsx'
import { ReadDiff, StoredDiff } from '../changes/stored-diff.tsx'
import { PullRequest } from '../runs/pull-request.tsx'
import { RaceChanges, RaceLanes } from '../runs/race.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { commentsOf } from './drafts.ts'
import { Heading, type Level } from './heading.tsx'

/** Kinds that let a change pass, or refuse it. */
const aboutChanges: DecisionInFull['kind'][] = [
  'merge_approval',
  'diff_guard',
  'policy_exception',
  'revert_approval',
]

/** As many lines stand above the answer; the rest is folded, so that it stays within reach. */
const mostLines = 300

interface Props {
  decision: DecisionInFull
  full: DecisionPage
  level: Level
}

/** What is decided about: the change itself. */
export function DecisionChanges({ decision, full, level }: Props) {
  const ws = useWorkspace()
  const run = decision.runKey ?? full.changesOf
  const changes = decision.options.find(({ action }) => action === 'request_changes')?.id
  const comments = useMemo(
    () => (changes && decision.status === 'pending' ? commentsOf(ws, decision.key, changes) : null),
    [ws, decision.key, decision.status, changes],
  )
  if (decision.kind === 'revert_approval' && !run) return <MergeChanges diff={full.diff} level={level} />
  if (!run || !(full.race || aboutChanges.includes(decision.kind))) return null
  const isPending = decision.status === 'pending'
  return (
    <section>
      <Heading level={level} className="mb-2">
        {decision.kind === 'revert_approval' ? 'Changes to be reverted' : 'Changes'}
      </Heading>
      {!decision.runKey && (
        <p className="mb-3 text-sm text-muted">
          Merged by <KeyLink to="run" of={run} />
        </p>
      )}
      {!isPending && (
        <p className="mb-3 text-sm text-muted">
          These are the run’s changes now. They may differ from what was decided on.
        </p>
      )}
      {full.race && <RaceLanes race={full.race} />}
      <RaceChanges race={full.race}>
        {(agent, isProposed) => (
          <Commenting value={isProposed ? comments : null}>
            <StoredDiff
              run={run}
              agent={agent}
              level={level === 2 ? 3 : 4}
              // The n of the other screens writes a note here.
              keys={{ next: 'f', previous: 'F' }}
              mostLines={isPending ? mostLines : 0}
              missing={
                <p className="text-sm text-muted">
                  This run has no stored diff.
                  {full.run?.pullRequest && (
                    <>
                      {' '}
                      View it in{' '}
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
        )}
      </RaceChanges>
    </section>
  )
}

/** Of a merge that no run made: as it was read when the question was asked. It stays what it was. */
function MergeChanges({ diff, level }: Pick<DecisionPage, 'diff'> & { level: Level }) {
  return (
    <section>
      <Heading level={level} className="mb-2">
        Changes to be reverted
      </Heading>
      {diff ? (
        <ReadDiff
          run={null}
          diff={diff}
          level={level === 2 ? 3 : 4}
          keys={{ next: 'f', previous: 'F' }}
          mostLines={mostLines}
        />
      ) : (
        <p className="text-sm text-muted">This decision has no stored diff.</p>
      )}
    </section>
  )
}
