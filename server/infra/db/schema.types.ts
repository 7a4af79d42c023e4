// Generated from schema.ts and the migrations by `npm run generate`. Do not edit.

export interface NewestApplied { parameters: Record<never, never>; row: { number: number; name: string; checksum: string } }
