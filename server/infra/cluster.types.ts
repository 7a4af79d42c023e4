// Generated from cluster.ts and the migrations by `npm run generate`. Do not edit.

export interface UpdateInvalidations { parameters: Record<never, never>; row: { sequence: number } }
export interface NotifyInvalidated { parameters: { channel: string; sequence: string }; row: { pg_notify: unknown | null } }
export interface TellNodes { parameters: { newsChannel: string; news: string }; row: { pg_notify: unknown | null } }
export interface Behind { parameters: { sequence: number }; row: Record<never, never> }
