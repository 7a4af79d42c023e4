// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectTeams { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string; json: string } }
export interface SelectTeam { takes: [workspaceId: 'workspaceId', by: ['slug' | 'id']]; parameters: { workspaceId: string; slug?: string | null | undefined; id?: string | null | undefined }; row: { id: string; json: string } }
export interface TeamExists { takes: [workspaceId: 'workspaceId', slug: 'slug']; parameters: { workspaceId: string; slug: string }; row: Record<never, never> }
export interface SelectTeamForUpdate { takes: [workspaceId: 'workspaceId', slug: 'slug']; parameters: { workspaceId: string; slug: string }; row: { id: string; slug: string; name: string; description: string | null; keyPrefix: string; paused_at: Date | null } }
export interface UpdatePolicyVersion { takes: [workspaceId: 'workspaceId', id: 'id', version: 'version', at: 'at']; parameters: { version: number; at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface UpdatePaused { parameters: { pausedAt: Date | string | null | undefined; by: string | null | undefined; reason: string | null | undefined; at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface PauseUnpausedOfAllWorkspaces { takes: [by: 'by', reason: 'reason', at: 'at']; parameters: { at: Date | string; by: string; reason: string }; row: { workspaceId: string; slug: string; name: string } }
export interface SelectTeamById { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { id: string; slug: string; name: string; keyPrefix: string; paused: boolean; policyVersion: number | null; mainRedSince: Date | null } }
export interface UpdateMainRed { takes: [workspaceId: 'workspaceId', id: 'id', since: 'since']; parameters: { since: Date | string | null | undefined; workspaceId: string; id: string }; row: Record<never, never> }
export interface Overview { parameters: { day: Date | string; month: Date | string; workspaceId: string; slug?: string | null | undefined }; row: { id: string; json: string } }
export interface Taken { parameters: { workspaceId: string; slug: string; keyPrefix: string }; row: { slug: string } }
export interface InsertTeams { parameters: { id: string; workspaceId: string; slug: string; name: string; description: string | null | undefined; keyPrefix: string; at: Date | string }; row: Record<never, never> }
export interface InsertColumns { parameters: { workspaceId: string; teamId: string; ids: readonly (string | null)[]; names: readonly (string | null)[]; roles: readonly (string | null)[] }; row: Record<never, never> }
export interface UpdateTeam { takes: [workspaceId: 'workspaceId', id: 'id', given2: ['name' | 'description' | 'deletedAt'], at: 'at']; parameters: { at: Date | string; name?: string | null | undefined; description?: string | null | undefined; deletedAt?: Date | string | null | undefined; workspaceId: string; id: string }; row: Record<never, never> }
export interface FoldCountsOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { fold_counts: unknown | null } }
