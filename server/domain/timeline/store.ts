import { sql } from 'kysely'
import type { Tx } from '../../infra/db/db.ts'

/** One step of an incident's timeline: what happened, in a sentence. */
export interface Step {
  seq: number
  at: Date
  type: string
  text: string
  data: Record<string, unknown>
}

export async function insertSteps(
  tx: Tx,
  workspaceId: string,
  incidentId: string,
  steps: Step[],
): Promise<void> {
  if (steps.length === 0) return
  await tx
    .insertInto('incident_events')
    .values(
      steps.map(({ seq, at, type, text, data }) => ({
        workspace_id: workspaceId,
        incident_id: incidentId,
        seq,
        at,
        type,
        text,
        data: JSON.stringify(data),
      })),
    )
    .execute()
}

/** An incident that is held until the transaction ends: nobody else adds to it meanwhile. */
export interface HeldIncident {
  key: string
  title: string
  team: string
  status: 'open' | 'resolved'
  lastStep: number
  /** Types of the steps it has. */
  steps: string[]
}

export async function lockIncident(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<HeldIncident | undefined> {
  await sql`select from incidents where workspace_id = ${workspaceId} and id = ${id} for no key update`.execute(
    tx,
  )
  const { rows } = await sql<HeldIncident>`
    select i.key, i.title, i.status, (select slug from teams t where t.id = i.team_id) as team,
      (select coalesce(max(seq), 0) from incident_events e where e.incident_id = i.id) as "lastStep",
      array(select distinct type from incident_events e where e.incident_id = i.id) as steps
    from incidents i
    where i.workspace_id = ${workspaceId} and i.id = ${id}
  `.execute(tx)
  return rows[0]
}
