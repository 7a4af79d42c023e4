// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectAnchorsOfInstance { takes: []; parameters: Record<never, never>; row: { target: 'timestamp' | 'folder' | 'webhook' | 'email'; triedAt: Date | null; sentAt: Date | null; failingSince: Date | null; error: string | null } }
export interface SelectNewOfAllWorkspaces { takes: [target: 'target', most: 'most']; parameters: { target: string; most: number }; row: { workspaceId: string; workspace: string; size: number; note: string; sealedAt: Date; timestamp: Buffer | null } }
export interface UpsertAnchored { takes: [workspaceId: 'workspaceId', target: 'target', size: 'size']; parameters: { workspaceId: string; target: string; size: number }; row: Record<never, never> }
export interface InsertTimestamp { takes: [workspaceId: 'workspaceId', given1: ['size' | 'note'], response: 'response', at: 'at']; parameters: { workspaceId: string; size: number; note: string; response: Buffer; at: Date | string }; row: Record<never, never> }
export interface UpsertSentOfInstance { takes: [target: 'target', at: 'at']; parameters: { target: string; at: Date | string }; row: Record<never, never> }
export interface UpsertFailureOfInstance { takes: [target: 'target', at: 'at', error: 'error']; parameters: { target: string; at: Date | string; error: string }; row: Record<never, never> }
