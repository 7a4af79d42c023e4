// Generated from demand-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectOpenOrders { takes: [workspaceId: 'workspaceId', now: 'now']; parameters: { workspaceId: string; now: Date | string }; row: { state: string; labels: string[]; executor: string; orders: number } }
export interface SelectTeamsWithDemand { takes: [workspaceId: 'workspaceId', given1: ['now' | 'day' | 'month']]; parameters: { workspaceId: string; day: Date | string; month: Date | string; now: Date | string }; row: { id: string; paused: boolean; policyVersion: number; checks: number; begun: number; leastLeftMicros: number; fresh: number; racers: AnyJson; working: number; reservedMicros: number; dayMicros: number; monthMicros: number } }
