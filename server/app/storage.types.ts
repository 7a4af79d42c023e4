// Generated from storage.ts and the migrations by `npm run generate`. Do not edit.

export interface NoteFingerprint { parameters: { fingerprint: string }; row: Record<never, never> }
export interface KeyOfInstance { parameters: Record<never, never>; row: { fingerprint: string; previous: string | null; pushSeed: Buffer | null } }
