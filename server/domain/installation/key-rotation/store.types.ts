// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectRotationOfInstance { takes: []; parameters: Record<never, never>; row: { fingerprint: string; previous: string | null; startedAt: Date | null; finishedAt: Date | null } }
export interface LockKeyOfInstance { takes: []; parameters: Record<never, never>; row: { fingerprint: string; previous: string | null; pushSeed: Buffer | null } }
export interface IsKeyMissingOnNode { takes: [key: 'key']; parameters: { key: string }; row: Record<never, never> }
export interface IsOtherKeyUsedOnNode { takes: [key: 'key']; parameters: { key: string }; row: Record<never, never> }
export interface StartRotationOfInstance { takes: [given0: ['fingerprint' | 'previous' | 'pushSeed' | 'startedAt']]; parameters: { fingerprint: string; previous: string; pushSeed: Buffer; startedAt: Date | string }; row: Record<never, never> }
export interface CountResealedOfInstance { takes: [count: 'count']; parameters: { count: number }; row: Record<never, never> }
export interface UpdatePushSeedOfInstance { takes: [pushSeed: 'pushSeed']; parameters: { pushSeed: Buffer }; row: Record<never, never> }
export interface FinishRotationOfInstance { takes: [finishedAt: 'finishedAt']; parameters: { finishedAt: Date | string }; row: { resealed: number } }
export interface SelectAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; slug: string; name: string } }
