// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface InsertEffect { parameters: { id: string; workspaceId: string; runId: string | null | undefined; kind: string; key: string; data: string; personId: string | null | undefined; channel: string | null | undefined; at: Date | string }; row: Record<never, never> }
export interface TakeDue { takes: [workspaceId: 'workspaceId', id: 'id', now: 'now', until: 'until']; parameters: { until: Date | string; workspaceId: string; id: string; now: Date | string }; row: { id: string; workspaceId: string; runId: string | null; kind: string; key: string; data: AnyJson; attempts: number; parkedBy: string | null; ordered: AnyJson | null } }
export interface RenewLease { takes: [workspaceId: 'workspaceId', id: 'id', held: 'held', until: 'until']; parameters: { until: Date | string; workspaceId: string; id: string; held: Date | string }; row: Record<never, never> }
export interface MarkDone { takes: [workspaceId: 'workspaceId', id: 'id', held: 'held', at: 'at']; parameters: { at: Date | string; workspaceId: string; id: string; held: Date | string }; row: Record<never, never> }
export interface Postpone { takes: [workspaceId: 'workspaceId', id: 'id', held: 'held', until: 'until', isInLine: 'isInLine']; parameters: { until: Date | string; isInLine: boolean; workspaceId: string; id: string; held: Date | string }; row: Record<never, never> }
export interface NoteFailure { takes: [workspaceId: 'workspaceId', id: 'id', held: 'held', until: 'until', error: 'error']; parameters: { until: Date | string; error: string; workspaceId: string; id: string; held: Date | string }; row: Record<never, never> }
export interface AddData { takes: [workspaceId: 'workspaceId', id: 'id', data: 'data']; parameters: { data: AnyJson; workspaceId: string; id: string }; row: Record<never, never> }
export interface WithdrawOfRun { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: Record<never, never> }
export interface ReviveNewest { takes: [workspaceId: 'workspaceId', runId: 'runId', kind: 'kind', at: 'at']; parameters: { at: Date | string; workspaceId: string; runId: string; kind: string }; row: { id: string } }
export interface SelectDueOfAllWorkspaces { takes: [now: 'now', rows: 'rows']; parameters: { now: Date | string; rows: number }; row: { id: string; workspaceId: string } }
export interface IsPendingForRun { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: Record<never, never> }
export interface IsUntaken { takes: [workspaceId: 'workspaceId', prefix: 'prefix']; parameters: { workspaceId: string; prefix: string }; row: Record<never, never> }
export interface HastenMerges { takes: [workspaceId: 'workspaceId', teamId: 'teamId', at: 'at']; parameters: { at: Date | string; workspaceId: string; teamId: string }; row: { id: string } }
export interface UpdateParked { takes: [workspaceId: 'workspaceId', id: 'id', held: 'held', given3: ['parkedBy' | 'reason']]; parameters: { parkedBy: string; reason: string; workspaceId: string; id: string; held: Date | string }; row: Record<never, never> }
export interface WakeFirstParked { takes: [workspaceId: 'workspaceId', refusal: 'refusal', at: 'at']; parameters: { workspaceId: string; refusal: string; at: Date | string }; row: { id: string } }
export interface IsParkedBefore { takes: [workspaceId: 'workspaceId', refusal: 'refusal', id: 'id']; parameters: { workspaceId: string; refusal: string; id: string }; row: Record<never, never> }
export interface Unpark { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface ReleaseAll { takes: [workspaceId: 'workspaceId', refusal: 'refusal', at: 'at']; parameters: { at: Date | string; workspaceId: string; refusal: string }; row: { id: string } }
export interface WithdrawKindsOfAllWorkspaces { takes: [kinds: 'kinds', reason: 'reason']; parameters: { reason: string; kinds: readonly (string | null)[] }; row: { workspace_id: string } }
export interface SelectOrphanedOfAllWorkspaces { takes: [rows: 'rows']; parameters: { rows: number }; row: { workspaceId: string; refusal: string } }
export interface DeleteEffectsBefore { takes: [workspaceId: 'workspaceId', given1: ['before' | 'beforeId' | 'most']]; parameters: { workspaceId: string; beforeId: string; before: Date | string; most: number }; row: Record<never, never> }
