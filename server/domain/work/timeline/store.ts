import { read, type Tx, write } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

/** One step of an incident's timeline: what happened, in a sentence. */
export interface Step {
  seq: number
  at: Date
  type: string
  text: string
  data: Record<string, unknown>
}

const insertStepsSql = statement<Sql.InsertSteps>(`
  insert into incident_events (workspace_id, incident_id, seq, at, type, text, data)
  select :workspaceId, :incidentId, seq, at, type, text, data
  from json_to_recordset(:rows::json) as (
    seq integer, at timestamptz, type text, text text, data jsonb)`)

export async function insertSteps(
  tx: Tx,
  workspaceId: string,
  incidentId: string,
  steps: Step[],
): Promise<void> {
  if (steps.length === 0) return
  const rows = steps.map((step) => ({ ...step, at: step.at.toISOString() }))
  await write(tx, insertStepsSql, { workspaceId, incidentId, rows: JSON.stringify(rows) })
}

/** An incident locked until the transaction ends: no one else adds to it. */
export interface LockedIncident {
  key: string
  title: string
  team: string
  status: 'open' | 'resolved'
  lastStep: number
  /** Types of the steps it has. */
  steps: string[]
}

const lock = statement<Sql.Lock>(`
  select from incidents where workspace_id = :workspaceId and id = :id for no key update`)

const held = statement<Sql.Held, LockedIncident>(`
  select i.key, i.title, i.status, (select slug from teams t where t.id = i.team_id) as "team!",
    (select coalesce(max(seq), 0) from incident_events e where e.incident_id = i.id) as "lastStep",
    array(select distinct type from incident_events e where e.incident_id = i.id) as steps
  from incidents i
  where i.workspace_id = :workspaceId and i.id = :id`)

export async function selectIncidentForUpdate(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<LockedIncident | undefined> {
  await write(tx, lock, { workspaceId, id })
  return (await read(tx, held, { workspaceId, id }))[0]
}
