// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface Holder { parameters: { digest: Buffer }; row: { tokenId: string; prefix: string; workspaceId: string; personId: string; personName: string; role: 'owner' | 'admin' | 'member'; permissions: string[]; manages: boolean; expiresAt: Date; networks: string[]; runnerNetworks: string[] } }
export interface SelectOwner { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: { id: string; name: string } }
export interface InsertToken { parameters: { id: string; workspaceId: string; personId: string; name: string; prefix: string; digest: Buffer; permissions: readonly (string | null)[]; manages: boolean; createdAt: Date | string; expiresAt: Date | string }; row: Record<never, never> }
export interface FindToken { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { name: string; prefix: string; personId: string } }
export interface FindTokensByPrefix { takes: [workspaceId: 'workspaceId', prefix: 'prefix']; parameters: { workspaceId: string; prefix: string }; row: { id: string } }
export interface MarkRevoked { takes: [workspaceId: 'workspaceId', id: 'id', at: 'at']; parameters: { at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface MarkAllRevoked { takes: [workspaceId: 'workspaceId', personId: 'personId', at: 'at']; parameters: { at: Date | string; workspaceId: string; personId: string }; row: { prefix: string } }
export interface NoteUses { parameters: { ids: readonly (string | null)[]; moments: readonly (Date | string | null)[] }; row: Record<never, never> }
export interface SelectTokensOf { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: { id: string; name: string; prefix: string; permissions: string[]; manages: boolean; createdAt: string; expiresAt: string; lastUsedAt: string | null; revokedAt: string | null } }
export interface SelectExpiringOfAllWorkspaces { takes: [now: 'now', until: 'until']; parameters: { now: Date | string; until: Date | string }; row: { id: string; workspaceId: string; personId: string; name: string; expiresAt: Date } }
