import { type Nothing, writes } from '../../../infra/db/queries.ts'
import type { Proposal } from '../../ports/work.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import type * as Sql from './proposal-store.types.ts'

export interface NewProposal extends Omit<Proposal, 'kind'> {
  kind: Proposal['kind'] | 'revert_approval'
  incidentId: string | null
  /** The alerts of the incident that it is about. */
  alertFingerprints: readonly string[]
}

/** False when the team has been asked before. */
export const insertProposal = writes.wroteOne<
  Sql.InsertProposal,
  Nothing,
  NewProposal & { id: string; teamId: string; at: Date }
>('workspaceId, ...proposal')(`
  insert into proposals (id, workspace_id, team_id, kind, fingerprint, title, body, story, incident_id,
    alert_fingerprints, status, created_at)
  values (:id, :workspaceId, :teamId, :kind, :fingerprint, :title, :body,
    :{story}?, :incidentId?, :alertFingerprints, 'open', :at)
  on conflict do nothing`)

/** A proposal as it is when it has been decided. */
export interface DecidedProposal {
  id: string
  title: string
  body: string
  story: ProposedStory | null
  kind: NewProposal['kind']
  teamId: string
  incidentId: string | null
}

export const decideProposal = writes.only<
  Sql.DecideProposal,
  DecidedProposal,
  { status: 'accepted' | 'declined' | 'lapsed' }
>('workspaceId, id, status, at')(`
  update proposals set status = :status, decided_at = :at
  where workspace_id = :workspaceId and id = :id
  returning id, title, body, story, kind, team_id as "teamId", incident_id as "incidentId"`)

export const lapseProposals = writes.column<Sql.LapseProposals, Nothing, { kind: Proposal['kind'] }>(
  'workspaceId, teamId, { kind, incidentId }, at',
)(`
  update proposals set status = 'lapsed', decided_at = :at
  where workspace_id = :workspaceId and team_id = :teamId and kind = :kind and status = 'open'
    [[and incident_id = :incidentId]]
  returning id`)
