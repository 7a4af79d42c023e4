import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

interface Claim {
  personId: string
  key: string
}

/** False when the key is known. Waits for a request that is using it right now. */
export const insertKey = writes.wroteOne<Sql.InsertKey>('workspaceId, { personId, key }, request, at')(`
  insert into idempotency_keys (workspace_id, person_id, key, request, created_at)
  values (:workspaceId, :personId, :key, :request, :at)
  on conflict do nothing`)

export const selectResponse = reads.one<Sql.SelectResponse, Nothing, Claim>('workspaceId, ...claim')(`
  select request, response from idempotency_keys
  where workspace_id = :workspaceId and person_id = :personId and key = :key`)

export const updateResponse = writes.run<Sql.UpdateResponse>('workspaceId, { personId, key }, response')(`
  update idempotency_keys set response = :response
  where workspace_id = :workspaceId and person_id = :personId and key = :key`)

export const deleteOlderOfAllWorkspaces = writes.run<Sql.DeleteOlderOfAllWorkspaces>('than')(
  `delete from idempotency_keys where created_at < :than`,
)
