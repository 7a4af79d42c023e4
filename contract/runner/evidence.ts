import { Type } from 'typebox'
import { AuditEntry, openings } from '../audit.ts'
import { isolationLevelOf } from '../isolation.ts'
import { runKey, storyKey } from '../keys.ts'
import { Evidence, gateResults } from '../run.ts'
import { Isolation, RunnerExecutor } from '../runner-facts.ts'
import { nullable, type Of, oneOf, recordOf, timestamp, uuid } from '../shapes.ts'
import { cost, mostStatements, PinnedSpec } from './messages.ts'

/**
 * The proof that a run hands over, signed by the runner that made it: an in-toto statement in a DSSE envelope. The
 * envelope's SHA-256 is in the audit log, whose checkpoints the server signs; so it cannot be changed later, and
 * what it says is on record as said by that runner, under the isolation that it measured.
 */
export const statementType = 'https://in-toto.io/Statement/v1'
export const payloadType = 'application/vnd.in-toto+json'
export const runEvidenceType = 'https://signalbox.dev/run-evidence/v1'
/** What goes with it since: each gate, and the summary, as statements of their own. */
export const testResultType = 'https://in-toto.io/attestation/test-result/v0.1'
export const summaryType = 'https://slsa.dev/verification_summary/v1'
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
  /** What another agent found in the change. Left out: the policy wants no second review. */
  secondReview: Evidence.properties.secondReview,
  /** What the attempt had cost by then, as runners reported it and the server booked it. */
  cost: Type.Array(Type.Object(cost)),
  runner: Type.Object({ id: uuid, key: text }),
  collectedAt: timestamp,
})
export type RunEvidence = Of<typeof RunEvidence>

const subject = Type.Array(Type.Object({ name: text, digest: Type.Object({ gitCommit: commit }) }), {
  minItems: 1,
  maxItems: 1,
})

export const Statement = Type.Object({
  _type: Type.Literal(statementType),
  subject,
  predicateType: Type.Literal(runEvidenceType),
  predicate: RunEvidence,
})
export type Statement = Of<typeof Statement>

const testResults = ['PASSED', 'WARNED', 'FAILED'] as const
const inTotoResults = { passed: 'PASSED', skipped: 'WARNED', failed: 'FAILED' } as const

/** A gate that was not run, or was failing before, is neither proven nor at fault: in-toto has a warning for that. */
export const testResultOf = (result: (typeof gateResults)[number]): (typeof testResults)[number] =>
  inTotoResults[result]

/** What one gate came to, in the words that tools of others read. The first part of its configuration is its name. */
export const TestResultStatement = Type.Object({
  _type: Type.Literal(statementType),
  subject,
  predicateType: Type.Literal(testResultType),
  predicate: Type.Object({
    result: oneOf(testResults),
    configuration: Type.Array(
      Type.Object({
        name: text,
        digest: Type.Object({ sha256 }),
        /** The definition itself, base64, where it is small. */
        content: Type.Optional(text),
      }),
      { minItems: 1, maxItems: 3 },
    ),
    passedTests: Type.Optional(Type.Array(text)),
    failedTests: Type.Optional(Type.Array(text)),
  }),
})
export type TestResultStatement = Of<typeof TestResultStatement>

/** Whether the commit came up to the policy, from which statements that was concluded, and under which policy. */
export const SummaryStatement = Type.Object({
  _type: Type.Literal(statementType),
  subject,
  predicateType: Type.Literal(summaryType),
  predicate: Type.Object({
    verifier: Type.Object({ id: text, version: recordOf(Type.String()) }),
    timeVerified: timestamp,
    resourceUri: text,
    /** `content` is what the policy says, as the runner was given it: JSON in base64. */
    policy: Type.Object({ uri: text, digest: Type.Object({ sha256 }), content: text }),
    inputAttestations: Type.Array(Type.Object({ uri: text, digest: Type.Object({ sha256 }) })),
    verificationResult: oneOf(['PASSED', 'FAILED']),
    verifiedLevels: Type.Array(text, { minItems: 1 }),
  }),
})
export type SummaryStatement = Of<typeof SummaryStatement>

/** What the acceptance spec is called among the gates. */
export const specGate = 'Acceptance spec'

/** What the summary has to say of what was measured. */
export function summaryOf({
  gates,
  criteria,
  isolation,
  spec,
}: Pick<RunEvidence, 'gates' | 'criteria' | 'isolation' | 'spec'>): Pick<
  SummaryStatement['predicate'],
  'verificationResult' | 'verifiedLevels'
> {
  if ([...gates, ...criteria].some(({ result }) => result === 'failed'))
    return { verificationResult: 'FAILED', verifiedLevels: ['FAILED'] }
  const isSeenGreen = spec && gates.some(({ name, result }) => name === specGate && result === 'passed')
  return {
    verificationResult: 'PASSED',
    // Levels of our own: those that begin with SLSA_ are for builds, and nothing was built.
    verifiedLevels: [
      'SIGNALBOX_GATES',
      ...(isSeenGreen ? ['SIGNALBOX_ACCEPTANCE_SPEC'] : []),
      `SIGNALBOX_ISOLATION_${isolationLevelOf(isolation).toUpperCase()}`,
    ],
  }
}

/** How the policy of a team is named in a summary. */
export const policyUri = (team: string, version: number) => `signalbox:policy/${team}/${version}`

export const EnvelopeShape = Type.Object({
  payloadType: Type.Literal(payloadType),
  payload: text,
  signatures: Type.Array(Type.Object({ keyid: text, sig: text }), { minItems: 1, maxItems: 4 }),
})

/** One file with everything that is needed to check the evidence of a run without asking anyone. */
export const EvidencePack = Type.Object(
  {
    format: Type.Literal(packFormat),
    /** The envelope as it was signed and hashed, letter for letter. */
    envelope: text,
    /**
     * The envelopes of each gate and of the summary, in the order of their hashes in the entry; older files have none.
     */
    statements: Type.Optional(Type.Array(text, { minItems: 1, maxItems: mostStatements })),
    runner: Type.Object({ id: uuid, key: text }, { additionalProperties: false }),
    /** The audit entry that holds the envelope's hash, and its way to a signed checkpoint of the log. */
    audit: Type.Object(
      {
        workspace: uuid,
        checkpoint: text,
        key: text,
        /** Signed notes that lead from an old key of the log to the next. */
        keyChanges: Type.Optional(Type.Array(text)),
        position: count,
        entry: AuditEntry,
        personal: openings,
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
