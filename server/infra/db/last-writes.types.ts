// Generated from last-writes.ts and the migrations by `npm run generate`. Do not edit.

export interface UpsertLastWrites { parameters: { personIds: readonly (string | null)[] }; row: { position: number } }
export interface SelectLastWrite { parameters: { personId: string }; row: { position: number | null } }
