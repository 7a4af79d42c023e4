import { sql } from 'kysely'
import type { Tx } from '../../infra/db/db.ts'

interface Claim {
  workspaceId: string
  personId: string
  key: string
}

/** False when the key is known. Waits for whoever uses it at this moment. */
export async function insertKey(tx: Tx, claim: Claim, request: Buffer, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into idempotency_keys (workspace_id, person_id, key, request, created_at)
    values (${claim.workspaceId}, ${claim.personId}, ${claim.key}, ${request}, ${at})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function selectAnswer(tx: Tx, claim: Claim) {
  return tx
    .selectFrom('idempotency_keys')
    .select(['request', 'answer'])
    .where('workspace_id', '=', claim.workspaceId)
    .where('person_id', '=', claim.personId)
    .where('key', '=', claim.key)
    .executeTakeFirst()
}

export async function updateAnswer(tx: Tx, claim: Claim, answer: string): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ answer })
    .where('workspace_id', '=', claim.workspaceId)
    .where('person_id', '=', claim.personId)
    .where('key', '=', claim.key)
    .execute()
}

export async function deleteOlder(tx: Tx, than: Date): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('created_at', '<', than).execute()
}
