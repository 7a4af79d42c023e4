// Generated from person-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface LockPersonById { takes: [personId: 'personId']; parameters: { personId: string }; row: { id: string; name: string; email: string } }
export interface LockOrphanedOfPerson { takes: [personId: 'personId']; parameters: { personId: string }; row: { slug: string } }
export interface SelectMembershipIdsOfPerson { takes: [personId: 'personId']; parameters: { personId: string }; row: { workspace_id: string } }
export interface SelectWorkspacesOfPerson { takes: [personId: 'personId']; parameters: { personId: string }; row: { id: string } }
export interface SelectNamesOfPerson { takes: [personId: 'personId', longest: 'longest']; parameters: { personId: string; longest: number }; row: { value: string } }
export interface EraseValuesOfPerson { takes: [personId: 'personId', email: 'email', erasure: 'erasure']; parameters: { personId: string; email: string; erasure: string }; row: { workspaceId: string; values: number; digest: string } }
export interface EraseNamesByWorkspaces { takes: [workspaceIds: 'workspaceIds', names: 'names']; parameters: { workspaceIds: readonly (string | null)[]; names: readonly (string | null)[] }; row: { rewritten: number } }
export interface DeleteTracesOfPerson { takes: [personId: 'personId', email: 'email', at: 'at']; parameters: { personId: string; email: string; at: Date | string }; row: Record<never, never> }
export interface SelectErasedOfAllPeople { takes: []; parameters: Record<never, never>; row: { id: string; at: Date } }
export interface SelectUnerasedByIds { takes: [ids: 'ids']; parameters: { ids: readonly (string | null)[] }; row: { id: string } }
export interface SelectPreviewOfPerson { takes: [personId: 'personId', email: 'email']; parameters: { personId: string; email: string }; row: { values: number; workspaces: AnyJson; oldEntries: number } }
