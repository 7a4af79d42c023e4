import { sql } from 'kysely'
import type { Tx } from '../../infra/db/db.ts'

export async function insertNotifications(
  tx: Tx,
  workspaceId: string,
  notifications: {
    id: string
    personId: string
    incidentId: string
    title: string
    body: string
    at: Date
  }[],
): Promise<void> {
  const rows = notifications.map((one) => ({ ...one, at: one.at.toISOString() }))
  await sql`
    insert into notifications (id, workspace_id, person_id, incident_id, title, body, created_at)
    select id, ${workspaceId}, "personId", "incidentId", title, body, at
    from json_to_recordset(${JSON.stringify(rows)}::json) as (
      id uuid, "personId" uuid, "incidentId" uuid, title text, body text, at timestamptz)
  `.execute(tx)
}
