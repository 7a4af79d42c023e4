// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../../infra/db/statement.ts'

export interface Facts { parameters: { day: Date | string; month: Date | string; workspaceId: string; key: string }; row: { createdAt: Date; teamId: string; phase: 'queued' | 'working' | 'waiting' | 'opening' | 'merging' | 'watching' | 'reverting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'; reason: string | null; stuckSince: string | null; team: AnyJson; criteria: AnyJson; changes: AnyJson | null; hasSignedEvidence: boolean; race: AnyJson | null; demonstrate: string | null; local: AnyJson | null; otherRun: string | null; logLines: number; progressAt: string | null; attempts: AnyJson; marks: AnyJson; decisions: AnyJson; costs: AnyJson; models: AnyJson; dayMicros: number; monthMicros: number } }
export interface SelectSteps { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: { at: number; type: string; phase: string | null; stage: string; attempt: number; cents: number } }
