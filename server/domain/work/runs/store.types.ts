// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectRuns { takes: [workspaceId: 'workspaceId', given1: ['team' | 'story'], given2: ['after' | 'rows']]; parameters: { workspaceId: string; team?: string | null | undefined; story?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { id: string; json: string } }
export interface RowsPage { parameters: { workspaceId: string; team?: string | null | undefined; story?: string | null | undefined; phase?: string | null | undefined; phases?: readonly (string | null)[] | null | undefined; failure?: string | null | undefined; executor?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { id: string; json: string } }
export interface SelectRun { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { id: string; json: string } }
export interface SelectPullRequests { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { repository: string; number: number; url: string } }
export interface SelectStuck { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { key: string; team: string; story: string; phase: 'queued' | 'working' | 'waiting' | 'opening' | 'merging' | 'watching' | 'reverting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'; reason: string; since: Date } }
export interface SelectMerged { takes: [workspaceId: 'workspaceId', teamId: 'teamId', since: 'since']; parameters: { workspaceId: string; teamId: string; since: Date | string }; row: { key: string; commit: string; mergedAt: Date; repository: string | null; story: AnyJson; pullRequest: AnyJson; paths: AnyJson; isQuestioned: boolean } }
