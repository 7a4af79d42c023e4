// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectTrackers { takes: [workspaceId: 'workspaceId', filter: ['teamId']]; parameters: { workspaceId: string; teamId: string }; row: { teamId: string; connectionId: string; projectId: string; projectKey: string; projectName: string; projectUrl: string | null; mapping: AnyJson; label: string | null; boundAt: Date } }
export interface Taken { parameters: { workspaceId: string; connectionId: string; projectId: string; label: string; teamId: string }; row: Record<never, never> }
export interface DeleteTrackersOfDeletedTeams { parameters: { workspaceId: string; connectionId: string; projectId: string }; row: Record<never, never> }
export interface UpsertTracker { parameters: { workspaceId: string; teamId: string; connectionId: string; projectId: string; projectKey: string; projectName: string; projectUrl: string | null | undefined; label: string | null | undefined; boundAt: Date | string }; row: Record<never, never> }
export interface DeleteTracker { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface SelectBindings { takes: [workspaceId: 'workspaceId', slug: 'slug']; parameters: { workspaceId: string; slug: string }; row: { tracker: AnyJson | null; repositories: AnyJson } }
