// Generated from proposal-store.ts and the migrations by `npm run generate`. Do not edit.

import type { AnyJson } from '../../../infra/db/statement.ts'

export interface InsertProposal { takes: [workspaceId: 'workspaceId', proposal: ['id' | 'teamId' | 'kind' | 'fingerprint' | 'title' | 'body' | 'story' | 'incidentId' | 'alertFingerprints' | 'at']]; parameters: { id: string; workspaceId: string; teamId: string; kind: string; fingerprint: string; title: string; body: string; story: AnyJson | null | undefined; incidentId: string | null | undefined; alertFingerprints: readonly (string | null)[]; at: Date | string }; row: Record<never, never> }
export interface DecideProposal { takes: [workspaceId: 'workspaceId', id: 'id', status: 'status', at: 'at']; parameters: { status: string; at: Date | string; workspaceId: string; id: string }; row: { id: string; title: string; body: string; story: AnyJson | null; kind: 'maintenance_proposal' | 'strategy_proposal' | 'main_red_incident' | 'revert_approval'; teamId: string; incidentId: string | null } }
export interface LapseProposals { takes: [workspaceId: 'workspaceId', teamId: 'teamId', given2: ['kind' | 'incidentId'], at: 'at']; parameters: { at: Date | string; workspaceId: string; teamId: string; kind: string; incidentId?: string | null | undefined }; row: { id: string } }
