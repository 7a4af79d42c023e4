// Generated from rehearsal-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectRehearsed { takes: [workspaceId: 'workspaceId', teamId: 'teamId', given2: ['fromId' | 'month' | 'rows']]; parameters: { workspaceId: string; teamId: string; month: Date | string; fromId: string; rows: number }; row: { key: string; title: string; at: Date; story: AnyJson; begun: boolean; planned: boolean; implementing: boolean; implemented: boolean; handedOff: boolean; isolations: AnyJson; costMicros: number; plan: AnyJson | null; change: AnyJson | null; gatesPassed: number | null; kinds: AnyJson; isUnsigned: boolean; secondReview: AnyJson | null; hasSpec: boolean; endedAtBudget: boolean; dayMicros: number; monthMicros: number; runnerLabels: AnyJson; asked: string[] } }
