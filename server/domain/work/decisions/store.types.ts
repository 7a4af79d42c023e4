// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface PageVersions { parameters: { workspaceId: string; status?: string | null | undefined; team?: string | null | undefined; run?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { signature: string | null } }
export interface PageRows { parameters: { workspaceId: string; status?: string | null | undefined; team?: string | null | undefined; run?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { id: string; json: string; key: string; version: string } }
export interface SelectDecision { takes: [workspaceId: 'workspaceId', key: 'key']; parameters: { workspaceId: string; key: string }; row: { id: string; json: string } }
export interface NewestFirst { parameters: { workspaceId: string; status?: string | null | undefined; kind?: string | null | undefined; team?: string | null | undefined; run?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { id: string; wire: string; beside: AnyJson } }
export interface DueFirst { parameters: { workspaceId: string; status?: string | null | undefined; kind?: string | null | undefined; team?: string | null | undefined; run?: string | null | undefined; after?: string | null | undefined; rows: number }; row: { id: string; wire: string; beside: AnyJson } }
export interface SelectCount { takes: [workspaceId: 'workspaceId']; parameters: { workspaceId: string }; row: { json: string } }
export interface InFull { parameters: { workspaceId: string; key: string }; row: { id: string; wire: string; beside: AnyJson; facts: AnyJson; team: string; story: AnyJson | null; criteria: AnyJson | null; run: AnyJson | null; incident: string | null; proposed: AnyJson | null; others: AnyJson; effects: AnyJson } }
