// Generated from keys.ts and the migrations by `npm run generate`. Do not edit.

export interface NextKey { parameters: { workspaceId: string; kind: string }; row: { last: number; key_secret: Buffer } }
