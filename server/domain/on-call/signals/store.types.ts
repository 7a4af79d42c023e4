// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectDeliveryRows { takes: [workspaceId: 'workspaceId', source: 'source', given2: ['after' | 'rows']]; parameters: { source: string; workspaceId: string; after?: string | null | undefined; rows: number }; row: { id: string; json: string } }
export interface OneDelivery { parameters: { id: string; source: string; workspaceId: string }; row: { json: string; alerts: AnyJson } }
export interface TeamsOf { parameters: { workspaceId: string; sources: readonly (string | null)[] }; row: { source: string; team: string } }
export interface SelectRefusals { takes: [workspaceId: 'workspaceId', source: 'source', rows: 'rows']; parameters: { workspaceId: string; source: string; rows: number }; row: { hour: Date; reason: string; count: number; lastAt: Date } }
export interface Acknowledged { parameters: { ids: readonly (string | null)[]; workspaces: readonly (string | null)[]; sources: readonly (string | null)[]; arrived: string; keyedIds: readonly (string | null)[]; keyedSources: readonly (string | null)[]; keys: readonly (Buffer | null)[]; keyedAt: readonly (Date | string | null)[] }; row: { given: string; id: string } }
export interface Written { parameters: { workspaces: readonly (string | null)[]; sources: readonly (string | null)[]; ids: readonly (string | null)[]; rows: string }; row: Record<never, never> }
export interface Recorded { parameters: { workspaceId: string; ids: readonly (string | null)[]; sources: readonly (string | null)[]; receivedAt: readonly (Date | string | null)[]; alerts: string; test: readonly (boolean | null)[]; problems: readonly (string | null)[]; handshakes: readonly (string | null)[] }; row: Record<never, never> }
export interface UpsertRefusals { parameters: { rows: string }; row: Record<never, never> }
export interface SelectWaitingSources { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { sourceId: string; lock: number; services: string[] } }
export interface TryLockSources { takes: [workspaceId: 'workspaceId', locks: 'locks']; parameters: { workspaceId: string; locks: readonly (number | null)[] }; row: { held: boolean } }
export interface LockSources { takes: [workspaceId: 'workspaceId', locks: 'locks']; parameters: { workspaceId: string; locks: readonly (number | null)[] }; row: { pg_advisory_xact_lock_shared: unknown | null } }
export interface LockServices { takes: [workspaceId: 'workspaceId', ids: 'ids']; parameters: { workspaceId: string; ids: readonly (string | null)[] }; row: { pg_advisory_xact_lock: unknown | null } }
export interface SelectIntake { takes: [workspaceId: 'workspaceId', sources: 'sources', most: ['rows' | 'bytes']]; parameters: { sources: readonly (string | null)[]; workspaceId: string; rows: number; bytes: number }; row: { sourceId: string; id: string; deliveries: string } }
export interface Taken { parameters: { sources: readonly (string | null)[]; ids: readonly (string | null)[]; workspaceId: string }; row: Record<never, never> }
export interface SelectFed { takes: [workspaceId: 'workspaceId', sourceIds: 'sourceIds']; parameters: { workspaceId: string; sourceIds: readonly (string | null)[] }; row: { sourceId: string; serviceId: string; name: string } }
export interface SelectWaitingWorkspaces { takes: [rows: 'rows']; parameters: { rows: number }; row: { workspaceId: string } }
export interface DeleteOldKeysOfAllWorkspaces { takes: [than: 'than']; parameters: { than: Date | string }; row: Record<never, never> }
export interface MakeMonthsOfAllWorkspaces { takes: [until: 'until']; parameters: { until: Date | string }; row: { prepare_delivery_months: unknown | null } }
export interface DeleteDeliveriesBefore { takes: [workspaceId: 'workspaceId', beforeId: 'beforeId', most: 'most']; parameters: { beforeId: string; workspaceId: string; most: number }; row: Record<never, never> }
export interface DeleteRefusalsBefore { takes: [workspaceId: 'workspaceId', before: 'before', most: 'most']; parameters: { before: Date | string; workspaceId: string; most: number }; row: Record<never, never> }
