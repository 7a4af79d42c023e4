// Generated from missing-store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectMissing { takes: [workspaceId: 'workspaceId', runId: 'runId', files: 'files']; parameters: { files: readonly (string | null)[]; workspaceId: string; runId: string }; row: { sha256: string } }
