import type { Tx } from '../../infra/db/db.ts'

/** What must not lose its team: runs that have not ended, and services that alerts arrive for. */
export async function selectHolding(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<{ runs: string[]; services: string[] }> {
  const runs = await tx
    .selectFrom('runs')
    .select('key')
    .where('workspace_id', '=', workspaceId)
    .where('team_id', '=', id)
    .where('place', 'not in', ['succeeded', 'failed', 'timed_out', 'stopped'])
    .orderBy('id')
    .execute()
  const services = await tx
    .selectFrom('services')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('team_id', '=', id)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .execute()
  return { runs: runs.map(({ key }) => key), services: services.map(({ name }) => name) }
}
