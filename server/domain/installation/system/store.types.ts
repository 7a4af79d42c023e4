// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

export interface SelectIntakeOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { waiting: number; oldestId: string | null } }
export interface SelectUnsealedOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { waiting: number; oldestId: string | null } }
export interface SelectOutboxOfAllWorkspaces { takes: [now: 'now', most: 'most']; parameters: { now: Date | string; most: number }; row: { kind: string; waiting: number; failing: number; oldestAt: Date | null } }
export interface SelectWebhooksOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { state: string; endpoints: number; failingSince: Date | null } }
export interface SelectWebhookQueueOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { waiting: number; oldestAt: Date | null } }
export interface SelectHookQueueOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { waiting: number; oldestAt: Date | null } }
export interface SelectConnectionsOfAllWorkspaces { takes: []; parameters: Record<never, never>; row: { kind: string; state: string; connections: number } }
export interface SelectRunnersOfAllWorkspaces { takes: [now: 'now', since: 'since']; parameters: { now: Date | string; since: Date | string }; row: { state: string; runners: number; slots: number } }
export interface SelectWaitingRunsOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { reason: string; runs: number } }
export interface SelectStuckRunsOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { runs: number } }
export interface SelectOrdersOfAllWorkspaces { takes: [most: 'most']; parameters: { most: number }; row: { state: 'offered' | 'taken' | 'ended'; orders: number; oldestAt: Date | null; firstLeaseUntil: Date | null } }
export interface SelectNodesOfInstance { takes: []; parameters: Record<never, never>; row: { id: string; startedAt: Date; isServing: boolean; version: string | null; migration: number | null; host: string | null; skewMs: number | null; secretKeys: string[] | null } }
export interface SelectDatabaseOfInstance { takes: []; parameters: Record<never, never>; row: { version: string; mostConnections: number; connections: number; role: string; login: string; now: Date; isStandby: boolean } }
export interface SelectDatabaseSizeOfInstance { takes: []; parameters: Record<never, never>; row: { bytes: number } }
export interface SelectMigrationOfInstance { takes: []; parameters: Record<never, never>; row: { number: number; name: string; appliedAt: Date } }
export interface SelectReplicasOfInstance { takes: []; parameters: Record<never, never>; row: { name: string; lagSeconds: number | null; lagBytes: number | null } }
