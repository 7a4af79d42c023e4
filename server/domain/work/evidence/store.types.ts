// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface InsertEvidence { parameters: { workspaceId: string; runId: string; attempt: number; repository: string; envelope: string; runner: string; key: string; at: Date | string }; row: Record<never, never> }
export interface Newest { parameters: { repository?: string | null | undefined; workspaceId: string; run: string }; row: { envelope: string | null; runner: string | null; key: string | null; attempt: number | null } }
export interface SelectRecording { takes: [workspaceId: 'workspaceId', run: 'run', envelope: 'envelope']; parameters: { workspaceId: string; run: string; envelope: string }; row: { id: string; entry: string } }
