// Generated from rate-limit.ts and the migrations by `npm run generate`. Do not edit.

export interface Count { parameters: { id: string; requests: number }; row: { used: number; leftMs: number } }
export interface Tell { parameters: { ids: readonly (string | null)[]; used: readonly (number | null)[]; leftMs: readonly (number | null)[]; added: readonly (number | null)[]; most: number }; row: Record<never, never> }
export interface SelectOpen { parameters: Record<never, never>; row: { id: string; used: number; leftMs: number } }
export interface DeleteClosed { parameters: Record<never, never>; row: Record<never, never> }
