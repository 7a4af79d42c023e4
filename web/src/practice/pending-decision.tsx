import { useRead } from '../api/queries.ts'
import { useAnswering } from '../decisions/answering.ts'
import { DecisionDetail } from '../decisions/decision-detail.tsx'
import { tellOutcome } from '../decisions/tell-outcome.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { Loaded } from '../ui/page.tsx'

/** The question that the practice project waits for, with its answers, as the inbox shows it. */
export function PendingDecision({ decisionKey, run }: { decisionKey: string; run: string | null }) {
  const read = useRead('decisions.read', { key: decisionKey })
  const answering = useAnswering((resolved) => tellOutcome(resolved, null))
  return (
    <Loaded of={read} lines={4}>
      {(full) => (
        <>
          {run && (
            <p className="mb-3 text-sm">
              <KeyLink to="run" of={run} className="text-accent hover:underline">
                See the run with its log and evidence
              </KeyLink>
            </p>
          )}
          {/* In a card, whose edges what would reach to those of the page must not cross. */}
          <div data-inset>
            <DecisionDetail decision={full.decision} read={read} answering={answering} level={3} />
          </div>
        </>
      )}
    </Loaded>
  )
}
