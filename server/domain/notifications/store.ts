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
  await tx
    .insertInto('notifications')
    .values(
      notifications.map((one) => ({
        id: one.id,
        workspace_id: workspaceId,
        person_id: one.personId,
        incident_id: one.incidentId,
        title: one.title,
        body: one.body,
        created_at: one.at,
      })),
    )
    .execute()
}
