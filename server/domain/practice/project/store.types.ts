// Generated from store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface InsertProject { parameters: { workspaceId: string; personId: string; folder: string; teamId: string; storyId: string; serviceId: string; sourceId: string; at: Date | string }; row: Record<never, never> }
export interface FreeNames { parameters: { workspaceId: string; service: string }; row: { number: number; service: string } }
export interface Project { parameters: { workspaceId: string }; row: { folder: string; personId: string; teamId: string; team: string; serviceId: string; sourceId: string; tokenId: string | null } }
export interface MarkRemoving { parameters: { at: Date | string; workspaceId: string }; row: Record<never, never> }
export interface Progress { parameters: { now: Date | string; workspaceId: string }; row: { startedBy: string; startedAt: string; team: string; storyKey: string; storyTitle: string; serviceId: string; service: string; sourceId: string; trouble: string | null; isBeingRemoved: boolean; alertedAt: Date | null; runnerOnline: boolean; run: AnyJson | null; isMerged: boolean; decision: AnyJson | null; incident: AnyJson | null; revert: AnyJson | null } }
export interface MarkAlerted { parameters: { at: Date | string; workspaceId: string }; row: Record<never, never> }
export interface Lease { parameters: { node: string; until: Date | string; folders: readonly (string | null)[]; now: Date | string }; row: { workspaceId: string; personId: string; folder: string; tokenId: string | null } }
export interface FoldersInUse { parameters: { folders: readonly (string | null)[] }; row: { folder: string } }
export interface Release { parameters: { node: string }; row: Record<never, never> }
export interface NoteRunner { parameters: { tokenId: string; workspaceId: string }; row: Record<never, never> }
export interface NoteTrouble { parameters: { trouble: string; workspaceId: string }; row: Record<never, never> }
export interface HideToken { parameters: { workspaceId: string; tokenId: string }; row: Record<never, never> }
export interface RunnersOf { parameters: { workspaceId: string }; row: { id: string; state: 'pending' | 'active' | 'paused' | 'draining' | 'removed' } }
export interface OpenOf { parameters: { phases: readonly (string | null)[]; workspaceId: string }; row: { runs: string[]; incidents: string[] } }
export interface HideRuns { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface HideDecisions { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface HideIncidents { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface HideTeam { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface DeleteNotifications { parameters: { workspaceId: string; teamId: string }; row: Record<never, never> }
export interface DeleteProject { parameters: { workspaceId: string }; row: Record<never, never> }
