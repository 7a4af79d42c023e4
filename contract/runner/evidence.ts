import { Type } from 'typebox'
import { AuditEntry } from '../audit.ts'
import { runKey, storyKey } from '../keys.ts'
import { Evidence, gateResults } from '../run.ts'
import { Isolation, RunnerExecutor } from '../runner-facts.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { PinnedSpec } from './messages.ts'

/**
 * The proof that a run hands over, signed by the runner that made it: an in-toto statement in a DSSE envelope. The
 * envelope's SHA-256 stands in the audit log, whose checkpoints the server signs; so nobody can change it later, and
 * what it says is on record as said by that runner, under the isolation that it measured.
 */
export const statementType = 'https://in-toto.io/Statement/v1'
export const payloadType = 'application/vnd.in-toto+json'
export const runEvidenceType = 'https://signalbox.dev/run-evidence/v1'
export const packFormat = 'https://signalbox.dev/evidence-pack/v1'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const commit = Type.String({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const RunEvidence = Type.Object({
  story: Type.Object({ key: storyKey, title: text }),
  run: runKey,
  attempt: Type.Integer({ minimum: 1 }),
  /** The commit the work began from, and the one that was measured. */
  base: commit,
  head: commit,
  policyVersion: Type.Integer(),
  isolation: Isolation,
  agent: RunnerExecutor,
  /** What was run, what it came to, what it came to on the base, and the file with everything it printed. */
  gates: Type.Array(
    Type.Object({
      name: text,
      result: oneOf(gateResults),
      summary: text,
      onBase: nullable(oneOf(gateResults)),
      log: nullable(sha256),
    }),
  ),
  criteria: Evidence.properties.criteria,
  spec: nullable(PinnedSpec),
  diff: Type.Object({
    sha256: nullable(sha256),
    files: count,
    additions: count,
    deletions: count,
    findings: Type.Array(text),
  }),
  demonstration: nullable(text),
  /** What the attempt had cost by then, as runners reported it and the server booked it. */
  cost: Type.Array(Type.Object({ currency: text, amount: Type.Number({ minimum: 0 }) })),
  runner: Type.Object({ id: uuid, key: text }),
  collectedAt: timestamp,
})
export type RunEvidence = Of<typeof RunEvidence>

export const Statement = Type.Object({
  _type: Type.Literal(statementType),
  subject: Type.Array(Type.Object({ name: text, digest: Type.Object({ gitCommit: commit }) }), {
    minItems: 1,
    maxItems: 1,
  }),
  predicateType: Type.Literal(runEvidenceType),
  predicate: RunEvidence,
})
export type Statement = Of<typeof Statement>

export const EnvelopeShape = Type.Object({
  payloadType: Type.Literal(payloadType),
  payload: text,
  signatures: Type.Array(Type.Object({ keyid: text, sig: text }), { minItems: 1, maxItems: 4 }),
})

/** One file with everything that is needed to check the evidence of a run without asking anybody. */
export const EvidencePack = Type.Object(
  {
    format: Type.Literal(packFormat),
    /** The envelope as it was signed and hashed, letter for letter. */
    envelope: text,
    runner: Type.Object({ id: uuid, key: text }, { additionalProperties: false }),
    /** The audit entry that holds the envelope's hash, and its way to a signed checkpoint of the log. */
    audit: Type.Object(
      {
        workspace: uuid,
        checkpoint: text,
        key: text,
        position: count,
        entry: AuditEntry,
        nodes: Type.Array(
          Type.Object({ from: count, to: count, hash: text }, { additionalProperties: false }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'EvidencePack', additionalProperties: false },
)
export type EvidencePack = Of<typeof EvidencePack>
