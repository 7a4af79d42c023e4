// Generated from change.ts and the migrations by `npm run generate`. Do not edit.

export interface Append { parameters: { rows: string }; row: Record<never, never> }
