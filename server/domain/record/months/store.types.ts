// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectMonthsOfInstance { takes: []; parameters: Record<never, never>; row: { month: string } }
export interface SelectAllWorkspaces { takes: []; parameters: Record<never, never>; row: { id: string; slug: string; name: string } }
export interface SelectExtentOfMonth { takes: [workspaceId: 'workspaceId', given1: ['firstId' | 'pastId']]; parameters: { workspaceId: string; firstId: string; pastId: string }; row: { entries: number; sealed: number; first: number | null; last: number | null; sent: number | null } }
export interface SelectRestoresOfMonth { takes: [workspaceId: 'workspaceId', given1: ['firstId' | 'pastId']]; parameters: { workspaceId: string; firstId: string; pastId: string }; row: { entry: string } }
export interface InsertMonth { takes: [workspaceId: 'workspaceId', given1: ['month' | 'entries' | 'file' | 'note' | 'restored' | 'at']]; parameters: { workspaceId: string; month: string; entries: number; file: string; note: string; restored: readonly (string | null)[]; at: Date | string }; row: Record<never, never> }
export interface DropMonthOfAllWorkspaces { takes: [month: 'month', entries: 'entries']; parameters: { month: string; entries: number }; row: { drop_audit_month: unknown | null } }
