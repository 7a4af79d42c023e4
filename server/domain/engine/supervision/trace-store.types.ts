// Generated from trace-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectTracedRun { takes: [workspaceId: 'workspaceId', runId: 'runId', version: 'version', fence: 'fence']; parameters: { version: number; fence: number; workspaceId: string; runId: string }; row: { traceparent: string | null; key: string; team: string; story: string; tracker: string | null; attempts: number; createdAt: number; storyAt: number; marks: AnyJson; order: AnyJson | null; decisions: AnyJson } }
export interface SelectIncidentOf { takes: [workspaceId: 'workspaceId', story: 'story', since: 'since', until: 'until']; parameters: { workspaceId: string; since: Date | string; until: Date | string; story: string }; row: { key: string; openedAt: number } }
export interface SelectTraceOfEffect { takes: [workspaceId: 'workspaceId', effectId: 'effectId']; parameters: { workspaceId: string; effectId: string }; row: { kind: string; traceparent: string } }
export interface SelectTraceOfRun { takes: [workspaceId: 'workspaceId', runId: 'runId']; parameters: { workspaceId: string; runId: string }; row: { traceparent: string | null } }
