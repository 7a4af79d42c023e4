import type { Gate, Run } from '@signalbox/contract/run.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { mayHide, visible } from '@signalbox/contract/visible.ts'

/**
 * A run with what its workers have said made visible. What is reported now is so before it is written; this is for what
 * was written before. Paths stay as they are: programs compare them.
 */
export function visibleRun(json: Json<Run>): Json<Run> {
  // Of most runs nothing needs to be looked at.
  if (!mayHide(json)) return json
  const run = fromJson(json)
  return JSON.stringify({
    ...run,
    attemptList: run.attemptList.map((attempt) => ({
      ...attempt,
      error: attempt.error && visible(attempt.error),
      verification: attempt.verification && {
        ...attempt.verification,
        gates: gatesOf(attempt.verification.gates),
      },
    })),
    evidence: run.evidence && {
      ...run.evidence,
      gates: gatesOf(run.evidence.gates),
      criteria: run.evidence.criteria.map((one) => ({ ...one, proof: visible(one.proof) })),
      demonstration: run.evidence.demonstration && visible(run.evidence.demonstration),
    },
  }) as Json<Run>
}

const gatesOf = (gates: Gate[]): Gate[] =>
  gates.map((gate) => ({ ...gate, name: visible(gate.name), summary: visible(gate.summary) }))
