// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectAskedMerges { takes: [workspaceId: 'workspaceId', given1: ['fromId' | 'team']]; parameters: { workspaceId: string; fromId: string; team?: string | null | undefined }; row: { team: string; teamName: string; version: number; mergePolicy: 'manual' | 'ask' | 'auto_within_limits' | 'auto'; autoMergeMaxLines: number | null; declined: AnyJson | null; merges: AnyJson } }
export interface SelectAnsweredOfAllWorkspaces { takes: [given0: ['from' | 'until' | 'fromId' | 'untilId']]; parameters: { fromId: string; untilId: string; from: Date | string; until: Date | string }; row: { workspaceId: string; team: string } }
export interface UpsertDeclined { takes: [workspaceId: 'workspaceId', teamId: 'teamId', given2: ['merges' | 'at']]; parameters: { workspaceId: string; teamId: string; merges: number; at: Date | string }; row: Record<never, never> }
