import { Type } from 'typebox'
import { teamSlug } from './keys.ts'
import { cents, nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'

/** What becomes of a run whose issue is closed, moved or deleted in the tracker. */
export const whenIssueLeaves = ['stop', 'finish'] as const
export const presets = ['trial', 'supervised', 'balanced', 'autonomous'] as const
export const executors = [
  'claude_code',
  'codex',
  'gemini',
  'opencode',
  'copilot',
  'qwen',
  'pi',
  'acp',
  'command',
  'scripted',
] as const
export const planApprovals = ['always', 'by_risk', 'never'] as const
export const mergePolicies = ['manual', 'ask', 'auto_within_limits', 'auto'] as const

export const executor = oneOf(executors, 'the coding agent')

export const Policy = Type.Object(
  {
    preset: oneOf(presets),
    custom: Type.Boolean({ description: 'true when a single setting departs from the preset' }),
    version: Type.Integer(),
    executor,
    maxConcurrency: Type.Integer(),
    budgets: Type.Object(
      { runCents: nullable(cents), dayCents: nullable(cents), monthCents: nullable(cents) },
      { additionalProperties: false },
    ),
    planApproval: oneOf(planApprovals, 'whether a person approves a plan'),
    mergePolicy: oneOf(mergePolicies, 'who merges a verified change'),
    pausedAt: nullable(timestamp),
    updatedAt: timestamp,
  },
  { $id: 'Policy', title: 'Policy summary', additionalProperties: false },
)
export type Policy = Of<typeof Policy>

export const Team = Type.Object(
  {
    id: uuid,
    slug: teamSlug,
    name: Type.String(),
    description: nullable(Type.String()),
    keyPrefix: Type.String({ description: "first part of the team's story keys" }),
    paused: Type.Boolean({ description: 'true while the team is paused' }),
    policy: nullable(Policy),
    createdAt: timestamp,
    updatedAt: nullable(timestamp),
  },
  { $id: 'Team', additionalProperties: false },
)
export type Team = Of<typeof Team>
