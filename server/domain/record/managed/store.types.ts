// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectManaged { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { kind: 'teams' | 'policies' | 'members' | 'connections' | 'repositories' | 'places' | 'services' | 'sources' | 'webhooks'; name: string; id: string; managedAt: string; unlockedAt: string | null } }
export interface SelectMarks { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { kind: 'teams' | 'policies' | 'members' | 'connections' | 'repositories' | 'places' | 'services' | 'sources' | 'webhooks'; name: string; id: string; unlockedAt: string | null; applied: AnyJson | null } }
export interface IsLocked { takes: [workspaceId: 'workspaceId', kind: 'kind', id: 'id']; parameters: { workspaceId: string; kind: string; id: string }; row: Record<never, never> }
export interface RemoveNamesakes { takes: [workspaceId: 'workspaceId', given1: ['kind' | 'name' | 'id']]; parameters: { workspaceId: string; kind: string; name: string; id: string }; row: Record<never, never> }
export interface UpsertManaged { takes: [workspaceId: 'workspaceId', given1: ['kind' | 'name' | 'id'], at: 'at']; parameters: { workspaceId: string; kind: string; name: string; id: string; at: Date | string }; row: Record<never, never> }
export interface InsertManaged { takes: [workspaceId: 'workspaceId', given1: ['kind' | 'name' | 'id' | 'applied'], at: 'at']; parameters: { workspaceId: string; kind: string; name: string; id: string; at: Date | string; applied: AnyJson }; row: Record<never, never> }
export interface UpdateApplied { takes: [workspaceId: 'workspaceId', given1: ['kind' | 'id' | 'applied']]; parameters: { applied: AnyJson; workspaceId: string; kind: string; id: string }; row: Record<never, never> }
export interface DeleteManaged { takes: [workspaceId: 'workspaceId', kind: 'kind', id: 'id']; parameters: { workspaceId: string; kind: string; id: string }; row: { name: string } }
export interface UpdateUnlocked { takes: [workspaceId: 'workspaceId', kind: 'kind', id: 'id', at: 'at']; parameters: { at: Date | string; workspaceId: string; kind: string; id: string }; row: { name: string } }
export interface SelectWorkspaceNamed { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { slug: string; name: string } }
