// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface LockSeals { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { locked: boolean } }
export interface WorkspacesToSeal { takes: []; parameters: Record<never, never>; row: { workspace_id: string } }
export interface RowsToSeal { takes: [workspaceId: 'workspaceId', afterId: 'afterId', most: 'most']; parameters: { workspaceId: string; afterId: string; most: number }; row: { id: string; entry: string } }
export interface NewestCheckpoint { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { size: number; root: Buffer; frontier: Buffer; note: string } }
export interface SelectSealState { parameters: { workspaceId: string }; row: { size: number; note: string; sealedAt: Date } }
export interface SealState { parameters: { workspaceId: string }; row: { waiting: number } }
export interface InsertLeaves { parameters: { workspaceId: string; first: number; hashes: Buffer; ids: readonly (string | null)[] }; row: Record<never, never> }
export interface InsertNodes { parameters: { workspaceId: string; levels: readonly (number | null)[]; positions: readonly (number | null)[]; hashes: readonly (Buffer | null)[] }; row: Record<never, never> }
export interface InsertCheckpoint { takes: [workspaceId: 'workspaceId', given1: ['size' | 'root' | 'frontier' | 'note'], sealedAt: 'sealedAt']; parameters: { workspaceId: string; size: number; root: Buffer; frontier: Buffer; note: string; sealedAt: Date | string }; row: Record<never, never> }
export interface DeleteUnsealed { parameters: { workspaceId: string; ids: readonly (string | null)[] }; row: Record<never, never> }
export interface ThinCheckpoints { takes: [workspaceId: 'workspaceId', before: 'before', most: 'most']; parameters: { workspaceId: string; before: Date | string; most: number }; row: { removed: number } }
export interface NewestNotesOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { note: string } }
export interface EntriesOfExport { takes: [workspaceId: 'workspaceId', exportId: 'exportId']; parameters: { workspaceId: string; exportId: string }; row: { entries: string[] } }
export interface RecordOfExport { parameters: { workspaceId: string; id: string; firstIdAtId: string; exportId: string }; row: { id: string; entry: string } }
export interface LeavesOfEntries { takes: [workspaceId: 'workspaceId', entryIds: 'entryIds']; parameters: { workspaceId: string; entryIds: readonly (string | null)[] }; row: { entry_id: string; position: number; hash: Buffer } }
export interface CheckpointCovering { takes: [workspaceId: 'workspaceId', position: 'position']; parameters: { workspaceId: string; position: number }; row: { size: number; root: Buffer; frontier: Buffer; note: string } }
export interface HashesOfLeaves { parameters: { workspaceId: string; from: readonly (number | null)[]; to: readonly (number | null)[] }; row: { hashes: Buffer | null } }
export interface HashesOfNodes { parameters: { workspaceId: string; from: readonly (number | null)[]; to: readonly (number | null)[]; level: number }; row: { hashes: Buffer | null } }
export interface WorkspaceIds { takes: []; parameters: Record<never, never>; row: { id: string } }
export interface ExtentOfLog { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { leaves: number; sealed: number } }
export interface NextPosition { takes: [workspaceId: 'workspaceId', from: 'from']; parameters: { workspaceId: string; from: number }; row: { next: number | null } }
export interface LeavesWithEntries { parameters: { workspaceId: string; from: number; to: number }; row: { position: number; entry_id: string; hash: Buffer; workspace_id: string; team: string | null; actor_type: 'human' | 'service' | 'system'; event: string; run_key: string | null; entry: string } }
export interface EntriesElsewhere { takes: [workspaceId: 'workspaceId', ids: 'ids']; parameters: { workspaceId: string; ids: readonly (string | null)[] }; row: { id: string; workspace_id: string; team: string | null; actor_type: 'human' | 'service' | 'system'; event: string; run_key: string | null; entry: string } }
export interface CheckpointsWithin { takes: [workspaceId: 'workspaceId', given1: ['from' | 'to']]; parameters: { workspaceId: string; from: number; to: number }; row: { size: number; root: Buffer; frontier: Buffer; note: string } }
export interface StoredNodes { parameters: { levels: readonly (number | null)[]; positions: readonly (number | null)[]; workspaceId: string }; row: { hash: Buffer | null } }
export interface SealStateOfEntries { takes: [workspaceId: 'workspaceId', afterId: 'afterId', most: 'most']; parameters: { workspaceId: string; afterId: string; most: number }; row: { id: string; sealed: boolean; waiting: boolean } }
export interface KeyChangesOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { note: string } }
export interface InsertKeyChange { takes: [workspaceId: 'workspaceId', note: 'note', changedAt: 'changedAt']; parameters: { workspaceId: string; note: string; changedAt: Date | string }; row: Record<never, never> }
export interface TimestampsOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { size: number; note: string; response: Buffer; stampedAt: Date } }
export interface ArchivedMonthsOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { month: string; entries: number; file: string; note: string; restored: string[]; archivedAt: Date } }
export interface RestoresOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string; entry: string } }
export interface ErasuresOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string; entry: string } }
export interface ErasedValues { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { erasure: string; values: number; digest: string } }
export interface SelectPersonalByRefs { takes: [workspaceId: 'workspaceId', refs: 'refs']; parameters: { workspaceId: string; refs: readonly (string | null)[] }; row: { ref: string; salt: string | null; value: string | null } }
export interface ReferringEntries { takes: [workspaceId: 'workspaceId', entryIds: 'entryIds']; parameters: { workspaceId: string; entryIds: readonly (string | null)[] }; row: { id: string; entry: string } }
export interface IsServedInAllWorkspaces { takes: []; parameters: Record<never, never>; row: Record<never, never> }
export interface StrayUnsealed { takes: [workspaceId: 'workspaceId', most: 'most']; parameters: { workspaceId: string; most: number }; row: { entry_id: string; sealed: boolean } }
