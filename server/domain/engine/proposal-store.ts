import { sql } from 'kysely'
import type { Tx } from '../../infra/db/db.ts'
import type { Proposal } from '../ports/work.ts'
import type { ProposedStory } from '../proposed-story.ts'

export interface NewProposal extends Omit<Proposal, 'kind'> {
  kind: Proposal['kind'] | 'revert_approval'
  incidentId: string | null
  /** The alerts of the incident that it is about. */
  alertFingerprints: readonly string[]
}

/** False when the team has been asked before. */
export async function insertProposal(
  tx: Tx,
  workspaceId: string,
  proposal: NewProposal & { id: string; teamId: string; at: Date },
): Promise<boolean> {
  const { id, teamId, kind, fingerprint, title, body, story, incidentId, alertFingerprints, at } = proposal
  const { numAffectedRows } = await sql`
    insert into proposals (id, workspace_id, team_id, kind, fingerprint, title, body, story, incident_id,
      alert_fingerprints, status, created_at)
    values (${id}, ${workspaceId}, ${teamId}, ${kind}, ${fingerprint}, ${title}, ${body},
      ${story && JSON.stringify(story)}, ${incidentId}, ${alertFingerprints}, 'open', ${at})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

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

export async function decideProposal(
  tx: Tx,
  workspaceId: string,
  id: string,
  status: 'accepted' | 'declined' | 'lapsed',
  at: Date,
): Promise<DecidedProposal> {
  const { rows } = await sql<DecidedProposal>`
    update proposals set status = ${status}, decided_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
    returning id, title, body, story, kind, team_id as "teamId", incident_id as "incidentId"
  `.execute(tx)
  return rows[0]!
}

export async function lapseProposals(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  { kind, incidentId }: { kind: Proposal['kind']; incidentId?: string },
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update proposals set status = 'lapsed', decided_at = ${at}
    where workspace_id = ${workspaceId} and team_id = ${teamId} and kind = ${kind} and status = 'open'
      ${incidentId ? sql`and incident_id = ${incidentId}` : sql``}
    returning id
  `.execute(tx)
  return rows.map((row) => row.id)
}
