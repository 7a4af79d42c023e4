// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface Lock { parameters: { workspaceId: string; id?: string | null | undefined; instance?: string | null | undefined }; row: Record<never, never> }
export interface Locked { parameters: { now: Date | string; workspaceId: string; id?: string | null | undefined; instance?: string | null | undefined }; row: { id: string; name: string; session: number; boot: string; state: 'pending' | 'active' | 'paused' | 'draining' | 'removed'; tokenId: string; evidenceKey: string; registrations: number; teamIds: string[]; lastSeenAt: Date; leftAt: Date | null; isConnected: boolean } }
export interface Registrations { parameters: { workspaceId: string; instance: string }; row: { registrations: number } }
export interface LockRunnersOf { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { pg_advisory_xact_lock: unknown | null } }
export interface CountRunners { takes: [workspaceId: 'workspaceId', tokenId: 'tokenId']; parameters: { tokenId: string; workspaceId: string }; row: { ofWorkspace: number; ofToken: number } }
export interface MarkRefused { takes: [workspaceId: 'workspaceId', id: 'id', given2: ['at' | 'since']]; parameters: { at: Date | string; workspaceId: string; id: string; since: Date | string }; row: Record<never, never> }
export interface SelectTokenOwner { takes: [workspaceId: 'workspaceId', of: ['tokenId' | 'runnerId']]; parameters: { workspaceId: string; tokenId?: string | null | undefined; runnerId?: string | null | undefined }; row: { personId: string; owner: string; name: string; prefix: string; isMember: boolean } }
export interface InsertRunner { takes: [workspaceId: 'workspaceId', id: 'id', runner: ['instance' | 'name' | 'version' | 'os' | 'arch' | 'slots' | 'labels' | 'features' | 'executors' | 'isolation' | 'git' | 'evidenceKey' | 'tokenId' | 'boot' | 'state' | 'at']]; parameters: { id: string; workspaceId: string; instance: string; name: string; version: string; os: string; arch: string; slots: number; labels: readonly (string | null)[]; features: readonly (string | null)[]; executors: AnyJson; isolation: AnyJson; git: AnyJson | null | undefined; evidenceKey: string; tokenId: string; boot: string; state: string; at: Date | string }; row: Record<never, never> }
export interface UpdateRegistration { parameters: { name: string; version: string; os: string; arch: string; slots: number; labels: readonly (string | null)[]; features: readonly (string | null)[]; executors: string; isolation: string; git: string | null | undefined; tokenId: string; boot: string; isNewStart: boolean; state: string; at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface SelectBySession { takes: [session: 'session']; parameters: { session: number }; row: { session: number; runnerId: string; workspaceId: string; tokenId: string; name: string; state: 'pending' | 'active' | 'paused' | 'draining' | 'removed'; told: 'pause' | 'drain' | null; slots: number; features: string[]; executors: AnyJson; isolation: AnyJson; labels: string[] } }
export interface IsConnected { takes: [workspaceId: 'workspaceId', id: 'id', now: 'now']; parameters: { now: Date | string; workspaceId: string; id: string }; row: { id: string } }
export interface UpdateState { takes: [workspaceId: 'workspaceId', id: 'id', state: 'state']; parameters: { state: string; workspaceId: string; id: string }; row: Record<never, never> }
export interface MarkForgotten { takes: [workspaceId: 'workspaceId', id: 'id', at: 'at']; parameters: { at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface SelectTeamIds { takes: [workspaceId: 'workspaceId', slugs: 'slugs']; parameters: { workspaceId: string; slugs: readonly (string | null)[] }; row: { id: string; slug: string } }
export interface UpdateTeams { takes: [workspaceId: 'workspaceId', id: 'id', teamIds: 'teamIds']; parameters: { teamIds: readonly (string | null)[]; workspaceId: string; id: string }; row: Record<never, never> }
export interface UpdateTold { takes: [workspaceId: 'workspaceId', session: 'session', told: 'told']; parameters: { told: string | null | undefined; workspaceId: string; session: number }; row: Record<never, never> }
export interface MarkLeft { takes: [workspaceId: 'workspaceId', id: 'id', at: 'at']; parameters: { at: Date | string; workspaceId: string; id: string }; row: Record<never, never> }
export interface NoteSignsOfAllWorkspaces { takes: [signs: 'signs']; parameters: { signs: AnyJson }; row: Record<never, never> }
export interface RemoveUnseenOfAllWorkspaces { takes: [since: 'since']; parameters: { since: Date | string }; row: Record<never, never> }
export interface SelectTeamsWithRepository { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string } }
export interface SelectRunners { takes: [workspaceId: 'workspaceId', given1: ['now' | 'since']]; parameters: { now: Date | string; since: Date | string; workspaceId: string }; row: { json: string } }
export interface SelectAddresses { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { address: string } }
export interface SelectRemoved { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { id: string; name: string; lastSeenAt: string } }
export interface NoteCredential { parameters: { reads: number; writes: number; workspaceId: string; id: string }; row: Record<never, never> }
