// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectService { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: { id: string; json: string } }
export interface States { parameters: { workspaceId: string; team?: string | null | undefined; id?: string | null | undefined }; row: { id: string; json: string } }
export interface SelectActivity { takes: [workspaceId: 'workspaceId', given1: ['service'], since: 'since', given3: ['inApp' | 'byMail' | 'byPush']]; parameters: { since: Date | string; inApp: boolean; byMail: boolean; byPush: boolean; workspaceId: string; service?: string | null | undefined }; row: { service: string; team: string; places: string[] | null; alertsLastWeek: number; lastIncident: AnyJson | null; members: AnyJson } }
export interface LockService { takes: [workspaceId: 'workspaceId', id: 'id']; parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface InsertService { parameters: { id: string; workspaceId: string; teamId: string; name: string; repositories: string; observeOnly: boolean; startFixes: boolean; updateAlerts: boolean; lowestSeverity: string; hours: string | null | undefined; places: readonly (string | null)[] | null | undefined; at: Date | string }; row: Record<never, never> }
export interface UpdateService { parameters: { name: string; repositories: string; observeOnly: boolean; startFixes: boolean; updateAlerts: boolean; lowestSeverity: string; hours: string | null | undefined; places: readonly (string | null)[] | null | undefined; at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface MarkDeleted { parameters: { at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface DeleteFeeds { parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface DeleteServiceMembers { parameters: { workspaceId: string; id: string }; row: Record<never, never> }
export interface ReplaceMembers { parameters: { workspaceId: string; id: string; people: readonly (string | null)[] }; row: Record<never, never> }
export interface SelectStrangers { takes: [workspaceId: 'workspaceId', team: 'team', given2: ['people' | 'places']]; parameters: { people: readonly (string | null)[]; workspaceId: string; places: readonly (string | null)[]; team: string }; row: { person: string | null; place: string | null } }
export interface Audience { parameters: { workspaceId: string; id: string }; row: { members: string[]; places: string[] } }
