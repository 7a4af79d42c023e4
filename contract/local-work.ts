import { Type } from 'typebox'
import { decisionKey, runKey, storyKey } from './keys.ts'
import { maxCriteria, maxNoteLength, maxReasonLength } from './limits.ts'
import { gateResults, runStages, runStatuses } from './run.ts'
import { nullable, type Of, oneOf, timestamp } from './shapes.ts'

/**
 * What a person who works on a story on their own machine says of it, or their coding agent for them. All of it is
 * reported, none of it proven: gates run on a runner before anything is merged.
 */

export const maxProgressLength = 500
export const maxReportedCommands = 50
export const maxReportedLinks = 20
export const maxOutputLength = 4_000

const short = (description: string, maxLength: number, minLength = 1) =>
  Type.String({ description, minLength, maxLength })
const webAddress = (description: string) =>
  Type.String({ description, maxLength: 2_000, pattern: '^https?://' })

export const BeginWork = Type.Object(
  {
    agent: Type.Optional(short('your name and version, such as claude-code 2.1', 100)),
  },
  { additionalProperties: false },
)
export type BeginWork = Of<typeof BeginWork>

const WorkRepository = Type.Object(
  { name: Type.String(), address: Type.String(), branch: Type.String() },
  { additionalProperties: false },
)

export const WorkBegun = Type.Object(
  {
    run: runKey,
    story: storyKey,
    attempt: Type.Integer(),
    /** Without a report until then, the story returns to Ready. */
    leaseUntil: timestamp,
    budgetCents: Type.Integer(),
    deniedPaths: Type.Array(Type.String()),
    /** The first of `repositories`. Null: the team has none, and nothing that is handed off can be verified. */
    repository: nullable(WorkRepository),
    /** All that the story is about, each with the branch that changes are merged into. Hand off names one of them. */
    repositories: Type.Array(WorkRepository),
  },
  { additionalProperties: false },
)
export type WorkBegun = Of<typeof WorkBegun>

export const ReportProgress = Type.Object(
  {
    stage: Type.Optional(oneOf(runStages, 'where the work is')),
    message: short('what you are doing, in a sentence', maxProgressLength),
  },
  { additionalProperties: false },
)
export type ReportProgress = Of<typeof ReportProgress>

export const ReportEvidence = Type.Object(
  {
    criteria: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: short('id of the criterion, from get_story', 100),
            result: oneOf(gateResults, 'whether it is met'),
            proof: short('what shows it, in words', maxNoteLength, 0),
          },
          { additionalProperties: false },
        ),
        { maxItems: maxCriteria, description: 'The result for each acceptance criterion.' },
      ),
    ),
    commands: Type.Optional(
      Type.Array(
        Type.Object(
          {
            command: short('as you ran it', 1_000),
            exitCode: Type.Integer({ description: 'what it ended with' }),
            outputTail: short('the end of what it printed', maxOutputLength, 0),
          },
          { additionalProperties: false },
        ),
        { maxItems: maxReportedCommands, description: 'The commands you ran to check the work.' },
      ),
    ),
    demonstration: Type.Optional(short('what the Demonstrate step showed', maxNoteLength)),
    links: Type.Optional(
      Type.Array(
        Type.Object(
          { label: short('what is there', 200), url: webAddress('http or https') },
          { additionalProperties: false },
        ),
        { maxItems: maxReportedLinks, description: 'Where more can be seen.' },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ReportEvidence = Of<typeof ReportEvidence>

export const EvidenceReported = Type.Object(
  {
    leaseUntil: timestamp,
    /** Criteria of the story that nothing was reported for, or that failed. */
    openCriteria: Type.Array(
      Type.Object({ id: Type.String(), text: Type.String() }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
)
export type EvidenceReported = Of<typeof EvidenceReported>

export const HandOff = Type.Object(
  {
    summary: short('what was changed and why', maxNoteLength),
    repository: Type.Optional(short('where you pushed it, where begin_work lists several', 300)),
    branch: Type.Optional(short('the branch you pushed', 200)),
    commit: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$', description: 'its head, all hex digits' }),
    ),
    pullRequestUrl: Type.Optional(webAddress('in place of branch and commit')),
  },
  { additionalProperties: false },
)
export type HandOff = Of<typeof HandOff>

export const HandedOff = Type.Object(
  {
    run: runKey,
    status: oneOf(runStatuses),
    stage: oneOf(runStages),
    /** Which a person has to answer, where no runner can verify the work. */
    decision: nullable(decisionKey),
    nextStep: Type.String(),
  },
  { additionalProperties: false },
)
export type HandedOff = Of<typeof HandedOff>

export const GiveBack = Type.Object(
  { reason: Type.Optional(short('why, for the next person', maxReasonLength, 0)) },
  { additionalProperties: false },
)
export type GiveBack = Of<typeof GiveBack>

/** Who works on a run themselves, or did. */
const held = {
  person: Type.String(),
  agent: nullable(Type.String()),
  since: timestamp,
  /** They have it still. */
  active: Type.Boolean(),
}

export const LocalHolder = Type.Object(held, { additionalProperties: false })
export type LocalHolder = Of<typeof LocalHolder>

/** The same with what they have reported. */
export const LocalWork = Type.Object(
  {
    ...held,
    /** It is theirs to report on and to give back. */
    personId: Type.String(),
    leaseUntil: nullable(timestamp),
    progress: nullable(
      Type.Object({ ...ReportProgress.properties, at: timestamp }, { additionalProperties: false }),
    ),
    evidence: nullable(
      Type.Object({ ...ReportEvidence.properties, at: timestamp }, { additionalProperties: false }),
    ),
    handedOff: nullable(
      Type.Object({ ...HandOff.properties, at: timestamp }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
)
export type LocalWork = Of<typeof LocalWork>
