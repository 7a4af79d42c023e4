// Generated from schema.ts and the migrations by `npm run generate`. Do not edit.

export interface AppliedBeside { parameters: { ours: number }; row: { number: number; name: string; checksum: string | null; contracted: string | null } }
