// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface SelectViews { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: { id: string; name: string; team: string; teamName: string; filter: AnyJson } }
export interface SelectViewCount { takes: [workspaceId: 'workspaceId', personId: 'personId']; parameters: { workspaceId: string; personId: string }; row: { count: number } }
export interface SelectViewForUpdate { takes: [workspaceId: 'workspaceId', personId: 'personId', name: 'name']; parameters: { workspaceId: string; personId: string; name: string }; row: { id: string; team: string; filter: AnyJson } }
export interface UpsertView { takes: [workspaceId: 'workspaceId', personId: 'personId', given2: ['id' | 'team' | 'name' | 'filter']]; parameters: { id: string; personId: string; name: string; filter: AnyJson; workspaceId: string; team: string }; row: { id: string } }
export interface DeleteView { takes: [workspaceId: 'workspaceId', personId: 'personId', id: 'id']; parameters: { workspaceId: string; personId: string; id: string }; row: { name: string; team: string; filter: AnyJson } }
