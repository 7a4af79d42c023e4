// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; slug: string; name: string } }
export interface InsertBackupOfAllWorkspaces { takes: [id: 'id', cause: 'cause', at: 'at', given3: ['place' | 'encrypted']]; parameters: { id: string; cause: string; at: Date | string; place: string | null | undefined; encrypted: boolean }; row: Record<never, never> }
export interface UpdateMadeOfAllWorkspaces { takes: [id: 'id', at: 'at', given2: ['takenAt' | 'bytes' | 'rows']]; parameters: { at: Date | string; takenAt: Date | string; bytes: number; rows: number; id: string }; row: Record<never, never> }
export interface UpdateFailedOfAllWorkspaces { takes: [id: 'id', at: 'at', error: 'error']; parameters: { at: Date | string; error: string; id: string }; row: Record<never, never> }
export interface SelectLastGoodOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; cause: 'schedule' | 'operator'; takenAt: Date; endedAt: Date; place: string | null; encrypted: boolean; bytes: number; rows: number } }
export interface SelectLastTriedOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { cause: 'schedule' | 'operator'; begunAt: Date; endedAt: Date | null; error: string | null } }
export interface SelectLastScheduledOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { begunAt: Date; error: string | null } }
export interface DeleteOlderOfAllWorkspaces { takes: [before: 'before']; parameters: { before: Date | string }; row: Record<never, never> }
