// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface InsertFile { parameters: { workspaceId: string; sha256: string; bytes: Buffer; length: number; at: Date | string }; row: { isNew: boolean } }
export interface AddToRun { takes: [workspaceId: 'workspaceId', runId: 'runId', sha256: 'sha256']; parameters: { workspaceId: string; runId: string; sha256: string }; row: Record<never, never> }
export interface MarkRetained { takes: [workspaceId: 'workspaceId', runId: 'runId', files: 'files']; parameters: { workspaceId: string; runId: string; files: readonly (string | null)[] }; row: Record<never, never> }
export interface AddToWorkspace { takes: [workspaceId: 'workspaceId', size: 'size']; parameters: { workspaceId: string; size: number }; row: { bytes: number } }
export interface AddToOrder { parameters: { size: number; workspaceId: string; runId: string; fence: number; files: number; bytes: number }; row: Record<never, never> }
export interface File { parameters: { workspaceId: string; sha256: string }; row: { bytes: Buffer } }
export interface SelectFileOfRun { takes: [workspaceId: 'workspaceId', runId: 'runId', sha256: 'sha256']; parameters: { workspaceId: string; runId: string; sha256: string }; row: { bytes: Buffer } }
