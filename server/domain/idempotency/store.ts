import { sql } from 'kysely'
import { read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

interface Claim {
  personId: string
  key: string
}

/** False when the key is known. Waits for whoever uses it at this moment. */
export async function insertKey(
  tx: Tx,
  workspaceId: string,
  { personId, key }: Claim,
  request: Buffer,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into idempotency_keys (workspace_id, person_id, key, request, created_at)
    values (${workspaceId}, ${personId}, ${key}, ${request}, ${at})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

const known = statement<{ request: Buffer; response: string | null }>(`
  select request, response from idempotency_keys
  where workspace_id = :workspaceId and person_id = :personId and key = :key`)

export async function selectResponse(tx: Tx, workspaceId: string, claim: Claim) {
  return (await read(tx, known, { workspaceId, ...claim }))[0]
}

export async function updateResponse(
  tx: Tx,
  workspaceId: string,
  { personId, key }: Claim,
  response: string,
): Promise<void> {
  await sql`
    update idempotency_keys set response = ${response}
    where workspace_id = ${workspaceId} and person_id = ${personId} and key = ${key}
  `.execute(tx)
}

export async function deleteOlderOfAllWorkspaces(tx: Tx, than: Date): Promise<void> {
  await sql`delete from idempotency_keys where created_at < ${than}`.execute(tx)
}
