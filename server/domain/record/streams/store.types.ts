// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface LeaseStreamOfInstance { takes: [node: 'node', seconds: 'seconds']; parameters: { node: string; seconds: number }; row: Record<never, never> }
export interface ReleaseStreamOfInstance { takes: [node: 'node']; parameters: { node: string }; row: Record<never, never> }
export interface SelectWaitingOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { workspaceId: string; workspace: string; position: number; size: number } }
export interface SelectNextEntries { takes: [workspaceId: 'workspaceId', from: 'from', most: 'most']; parameters: { workspaceId: string; from: number; most: number }; row: { position: number; json: string } }
export interface UpsertPosition { takes: [workspaceId: 'workspaceId', position: 'position']; parameters: { workspaceId: string; position: number }; row: Record<never, never> }
export interface UpdateSentOfInstance { takes: [at: 'at']; parameters: { at: Date | string }; row: Record<never, never> }
export interface UpdateFailureOfInstance { takes: [at: 'at', error: 'error']; parameters: { at: Date | string; error: string }; row: Record<never, never> }
export interface SelectLagOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { waiting: number; oldestId: string | null; error: string | null } }
