// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface InsertKey { takes: [workspaceId: 'workspaceId', given1: ['personId' | 'key'], request: 'request', at: 'at']; parameters: { workspaceId: string; personId: string; key: string; request: Buffer; at: Date | string }; row: Record<never, never> }
export interface SelectResponse { takes: [workspaceId: 'workspaceId', claim: ['personId' | 'key']]; parameters: { workspaceId: string; personId: string; key: string }; row: { request: Buffer; response: string | null } }
export interface UpdateResponse { takes: [workspaceId: 'workspaceId', given1: ['personId' | 'key'], response: 'response']; parameters: { response: string; workspaceId: string; personId: string; key: string }; row: Record<never, never> }
export interface DeleteOlderOfAllWorkspaces { takes: [than: 'than']; parameters: { than: Date | string }; row: Record<never, never> }
