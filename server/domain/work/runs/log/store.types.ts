// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface LockTurn { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: { phase: 'queued' | 'working' | 'waiting' | 'opening' | 'merging' | 'watching' | 'reverting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'; fence: number; attempt: number } }
export interface LockEnd { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { runId: string; workspaceId: string }; row: { lines: number; bytes: number; fence: number; chunk: number; isFull: boolean } }
export interface InsertLines { parameters: { lines: number; bytes: number; fence: number; chunk: number; isFull: boolean; workspaceId: string; runId: string; after: number; attempt: number; at: Date | string; linesLines: readonly (string | null)[] }; row: Record<never, never> }
export interface SelectStanding { takes: [workspaceId: 'workspaceId', run: ['key' | 'runId']]; parameters: { workspaceId: string; key?: string | null | undefined; runId?: string | null | undefined }; row: { runId: string; lines: number; isOver: boolean } }
export interface Lines { parameters: { workspaceId: string; runId: string; after: number; until: number }; row: { position: number; attempt: number; at: Date; text: string } }
export interface SelectQuoted { takes: [workspaceId: 'workspaceId', runId: 'runId', texts: 'texts']; parameters: { workspaceId: string; runId: string; texts: readonly (string | null)[] }; row: { text: string; position: number } }
export interface SelectChunks { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: { at: number; first: number; last: number } }
