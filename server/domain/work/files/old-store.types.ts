// Generated from old-store.ts and the migrations by `npm run generate`. Do not edit.

export interface LockRunsWithOldFiles { takes: [workspaceId: 'workspaceId', given1: ['before' | 'beforeId' | 'most']]; parameters: { workspaceId: string; beforeId: string; before: Date | string; most: number }; row: { id: string } }
export interface MarkEvidence { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: Record<never, never> }
export interface DeleteFilesOfRun { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: { sha256: string } }
export interface LockFiles { takes: [workspaceId: 'workspaceId', files: 'files']; parameters: { workspaceId: string; files: readonly (string | null)[] }; row: Record<never, never> }
export interface DeleteUnused { takes: [workspaceId: 'workspaceId', files: 'files']; parameters: { workspaceId: string; files: readonly (string | null)[] }; row: { size: number } }
export interface MarkFilesRemoved { takes: [workspaceId: 'workspaceId', runId: 'runId', at: 'at']; parameters: { at: Date | string; workspaceId: string; runId: string }; row: Record<never, never> }
export interface SubtractFromWorkspace { takes: [workspaceId: 'workspaceId', bytes: 'bytes']; parameters: { bytes: number; workspaceId: string }; row: Record<never, never> }
export interface SelectFilesRemovedAt { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { removedAt: Date | null } }
