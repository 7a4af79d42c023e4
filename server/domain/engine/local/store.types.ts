// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface InsertLocalWork { takes: [workspaceId: 'workspaceId', work: ['runId' | 'attempt' | 'personId' | 'agent' | 'at']]; parameters: { workspaceId: string; runId: string; attempt: number; personId: string; agent: string | null | undefined; at: Date | string }; row: Record<never, never> }
export interface UpdateLocalWork { takes: [workspaceId: 'workspaceId', given1: ['id' | 'attempt'], given2: ['progress' | 'evidence' | 'handedOff']]; parameters: { progress?: AnyJson | null | undefined; evidence?: AnyJson | null | undefined; handedOff?: AnyJson | null | undefined; workspaceId: string; id: string; attempt: number }; row: Record<never, never> }
export interface SelectOpenWork { takes: [workspaceId: 'workspaceId', storyId: 'storyId']; parameters: { workspaceId: string; storyId: string }; row: { run: string; personId: string | null } }
export interface SelectTeamOfStory { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { id: string; teamId: string } }
export interface Said { parameters: { workspaceId: string; id: string; attempt: number }; row: { evidence: AnyJson | null; criteria: AnyJson } }
