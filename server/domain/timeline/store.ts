import { sql } from 'kysely'
import { read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

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
  const rows = steps.map((step) => ({ ...step, at: step.at.toISOString() }))
  await sql`
    insert into incident_events (workspace_id, incident_id, seq, at, type, text, data)
    select ${workspaceId}, ${incidentId}, seq, at, type, text, data
    from json_to_recordset(${JSON.stringify(rows)}::json) as (
      seq integer, at timestamptz, type text, text text, data jsonb)
  `.execute(tx)
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

const lock = statement(`
  select from incidents where workspace_id = :workspaceId and id = :id for no key update`)

const held = statement<HeldIncident>(`
  select i.key, i.title, i.status, (select slug from teams t where t.id = i.team_id) as team,
    (select coalesce(max(seq), 0) from incident_events e where e.incident_id = i.id) as "lastStep",
    array(select distinct type from incident_events e where e.incident_id = i.id) as steps
  from incidents i
  where i.workspace_id = :workspaceId and i.id = :id`)

export async function lockIncident(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<HeldIncident | undefined> {
  await write(tx, lock, { workspaceId, id })
  return (await read(tx, held, { workspaceId, id }))[0]
}
