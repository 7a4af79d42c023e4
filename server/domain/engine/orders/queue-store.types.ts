// Generated from queue-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectQueued { takes: [workspaceId: 'workspaceId', teamId: 'teamId', now: 'now']; parameters: { workspaceId: string; teamId: string; now: Date | string }; row: { id: string; policyVersion: number | null; budgetCents: number; costMicros: number; memory: AnyJson; stuckSince: Date | null; stage: string } }
export interface SelectNextReady { takes: [workspaceId: 'workspaceId', teamId: 'teamId', given2: ['onlyOne']]; parameters: { workspaceId: string; teamId: string; onlyOne: boolean }; row: { id: string; key: string; title: string; repositories: string[] | null } }
export interface LastRun { parameters: { workspaceId: string; teamId: string }; row: { id: string } }
export interface Spending { parameters: { workspaceId: string; day: Date | string; month: Date | string; teamId: string }; row: { working: number; reservedMicros: number; dayMicros: number; monthMicros: number } }
export interface SelectStanding { takes: [workspaceId: 'workspaceId', of: ['story' | 'team']]; parameters: { workspaceId: string; story?: string | null | undefined; team?: string | null | undefined }; row: { id: string; paused: boolean; policyVersion: number | null; isAboutOne: boolean } }
export interface NoteReason { parameters: { reason: string; by: string; needsHelp: boolean; at: Date | string; workspaceId: string; ids: readonly (string | null)[] }; row: Record<never, never> }
export interface WakeUnreadable { takes: [workspaceId: 'workspaceId', now: 'now']; parameters: { now: Date | string; workspaceId: string }; row: Record<never, never> }
export interface UpdateReason { takes: [workspaceId: 'workspaceId', id: 'id', reason: 'reason', stuckSince: 'stuckSince']; parameters: { reason: string; stuckSince: Date | string | null | undefined; workspaceId: string; id: string }; row: Record<never, never> }
export interface SelectOverdueOfAllWorkspaces { takes: [now: 'now', given1: ['longAgo' | 'stageSeconds'], rows: 'rows']; parameters: { now: Date | string; longAgo: Date | string; stageSeconds: number; rows: number }; row: { id: string; workspaceId: string; isSurvey: boolean } }
export interface SelectTeamsWithWorkOfAllWorkspaces { takes: [now: 'now', rows: 'rows']; parameters: { now: Date | string; rows: number }; row: { id: string; workspaceId: string } }
export interface Stuck { parameters: Record<never, never>; row: { count: number } }
export interface MarkStuck { parameters: { now: Date | string }; row: Record<never, never> }
export interface NoteSweep { parameters: { sweptAt: Date | string; sparesUntil: Date | string; now: Date | string }; row: { sparesUntil: Date } }
