// Generated from cluster.ts and the migrations by `npm run generate`. Do not edit.

export interface UpdateInvalidations { parameters: Record<never, never>; row: { sequence: number } }
export interface NotifyInvalidated { parameters: { channel: string; sequence: string }; row: { pg_notify: unknown | null } }
export interface TellNodes { parameters: { newsChannel: string; news: string }; row: { pg_notify: unknown | null } }
export interface Behind { parameters: { sequence: number }; row: Record<never, never> }
export interface DeleteNodes { parameters: Record<never, never>; row: Record<never, never> }
export interface DeleteOldNodes { parameters: Record<never, never>; row: Record<never, never> }
export interface DeleteNode { parameters: { id: string }; row: Record<never, never> }
export interface Announce { parameters: { channel: string }; row: { sequence: number; pg_notify: unknown | null } }
export interface Renew { parameters: { id: string; leaseMs: number; applied: number; version: string | null | undefined; migration: number | null | undefined; host: string | null | undefined; now: Date | string; known: readonly (string | null)[] | null | undefined; fingerprint: string | null | undefined }; row: { sequence: number; key: string | null; others: number } }
