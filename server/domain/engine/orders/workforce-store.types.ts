// Generated from workforce-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface Workers { parameters: { now: Date | string; workspaceId: string; since: Date | string }; row: { id: string; name: string; features: string[]; executors: AnyJson; isolation: AnyJson; git: AnyJson | null; labels: string[]; teamIds: string[]; isPending: boolean; rests: boolean; slots: number; busy: number } }
export interface Capacity { parameters: { now: Date | string; workspaceId: string; since: Date | string }; row: { slots: number; free: number; orders: string[] } }
export interface SelectTeamsWithRepository { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string } }
export interface SelectTeamsInLine { takes: [workspaceId: 'workspaceId', now: 'now']; parameters: { workspaceId: string; now: Date | string }; row: { id: string; lastRun: string | null } }
export interface SelectOffered { takes: [workspaceId: 'workspaceId', executor: 'executor']; parameters: { workspaceId: string; executor: string }; row: { labels: string[]; teamId: string; orders: number } }
