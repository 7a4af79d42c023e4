// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; slug: string; name: string } }
