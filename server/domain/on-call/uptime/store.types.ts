// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface HasDueChecksOfAllWorkspaces { takes: [now: 'now']; parameters: { now: Date | string }; row: { isDue: boolean } }
export interface TakeDueChecks { parameters: { now: Date | string; most: number }; row: { id: string; workspaceId: string; name: string; settings: AnyJson; nextAt: Date; status: 'up' | 'down'; changedAt: Date; signalled: boolean; failures: number; failingSince: Date | null } }
export interface SaveUptime { parameters: { nextAt: Date | string; status: string; changedAt: Date | string; signalled: boolean; failures: number; failingSince: Date | string | null | undefined; at: Date | string; error: string | null | undefined; workspaceId: string; id: string; takenUntil: Date | string }; row: Record<never, never> }
export interface MarkSignalled { takes: [workspaceId: 'workspaceId', sourceId: 'sourceId', changedAt: 'changedAt']; parameters: { workspaceId: string; sourceId: string; changedAt: Date | string }; row: Record<never, never> }
export interface SelectChecksOf { takes: [workspaceId: 'workspaceId', serviceId: 'serviceId']; parameters: { serviceId: string; workspaceId: string }; row: { id: string; name: string; createdAt: Date; lastAt: Date } }
export interface SelectChanges { takes: [workspaceId: 'workspaceId', sourceIds: 'sourceIds', since: 'since']; parameters: { sourceIds: readonly (string | null)[]; workspaceId: string; since: string }; row: { sourceId: string; status: string; at: Date } }
