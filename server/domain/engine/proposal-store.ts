import type { Tx } from '../../infra/db/db.ts'
import type { Proposal } from '../ports/work.ts'
import type { ProposedStory } from '../proposed-story.ts'

export interface NewProposal extends Omit<Proposal, 'kind'> {
  kind: Proposal['kind'] | 'revert_approval'
  incidentId: string | null
}

/** False when the team has been asked before. */
export async function insertProposal(
  tx: Tx,
  proposal: NewProposal & { id: string; workspaceId: string; teamId: string; at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('proposals')
    .values({
      id: proposal.id,
      workspace_id: proposal.workspaceId,
      team_id: proposal.teamId,
      kind: proposal.kind,
      fingerprint: proposal.fingerprint,
      title: proposal.title,
      body: proposal.body,
      story: proposal.story && JSON.stringify(proposal.story),
      incident_id: proposal.incidentId,
      status: 'open',
      created_at: proposal.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function decideProposal(
  tx: Tx,
  workspaceId: string,
  id: string,
  status: 'accepted' | 'declined' | 'lapsed',
  at: Date,
) {
  const row = await tx
    .updateTable('proposals')
    .set({ status, decided_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(['id', 'title', 'body', 'story', 'kind', 'team_id', 'incident_id'])
    .executeTakeFirstOrThrow()
  return { ...row, story: row.story as ProposedStory | null }
}

export async function lapseProposals(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  { kind, incidentId }: { kind: Proposal['kind']; incidentId?: string },
  at: Date,
): Promise<string[]> {
  const rows = await tx
    .updateTable('proposals')
    .set({ status: 'lapsed', decided_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('team_id', '=', teamId)
    .where('kind', '=', kind)
    .where('status', '=', 'open')
    .$if(incidentId !== undefined, (query) => query.where('incident_id', '=', incidentId!))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}
