import { type Db, read, type Tx } from '../../../infra/db/db.ts'
import { writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import { type KeptPullRequest, revertPrefix } from '../../ports/pull-requests.ts'
import type * as Sql from './store.types.ts'

const kept = statement<Sql.Kept, KeptPullRequest>(`
  select p.number, p.title, p.base, p.branch, p.head, p.state, p.merge_commit as "mergeCommit", w.slug as workspace
  from pull_requests p
  join workspaces w on w.id = p.workspace_id
  where p.workspace_id = :workspaceId and p.repository = :repository
    [[and p.number = :number]] [[and p.branch = :branch and p.state = 'open']]
    [[and p.branch like :prefix and p.state = 'open']]
  order by p.number desc`)

export async function selectPullRequest(
  db: Db | Tx,
  workspaceId: string,
  repository: string,
  by: { number: number } | { branch: string },
): Promise<KeptPullRequest | undefined> {
  return (await read(db, kept, handedIn({ ...by, workspaceId, repository })))[0]
}

export async function selectOpenReverts(
  db: Db | Tx,
  workspaceId: string,
  repository: string,
): Promise<KeptPullRequest[]> {
  return [...(await read(db, kept, { workspaceId, repository, prefix: `${revertPrefix}%` }))]
}

/** Numbers are given one after the other. */
export const lockNumbers = writes.run<Sql.LockNumbers>('workspaceId, repository')(
  'select pg_advisory_xact_lock(4406, hashtext(:workspaceId || :repository))',
)

export const insertPullRequest = writes.run<Sql.InsertPullRequest>(
  'workspaceId, repository, { title, body, base, branch, head, run }, at',
)(`
  insert into pull_requests (workspace_id, repository, number, title, body, base, branch, head, state, run_id,
    opened_at)
  select :workspaceId, :repository, coalesce(max(number), 0) + 1, :title, :body, :base, :branch,
    :head, 'open', (select id from runs where workspace_id = :workspaceId and key = :run?), :at
  from pull_requests where workspace_id = :workspaceId and repository = :repository`)

export const updateHead = writes.run<Sql.UpdateHead>(
  'workspaceId, repository, number, { title, body, base, head }',
)(`
  update pull_requests set title = :title, body = :body, base = :base, head = :head
  where workspace_id = :workspaceId and repository = :repository and number = :number and state = 'open'`)

/** Closes those of earlier attempts: no one should merge them alongside the newer one. */
export const closeOthersOfRun = writes.run<Sql.CloseOthersOfRun>(
  'workspaceId, repository, { branch, run }, at',
)(`
  update pull_requests set state = 'closed', ended_at = :at
  where workspace_id = :workspaceId and repository = :repository and branch <> :branch and state = 'open'
    and run_id = (select id from runs where workspace_id = :workspaceId and key = :run?)`)

export const updateClosed = writes.run<Sql.UpdateClosed>('workspaceId, repository, number, why, at')(`
  update pull_requests set state = 'closed', body = body || E'\\n\\n' || :why::text, ended_at = :at
  where workspace_id = :workspaceId and repository = :repository and number = :number and state = 'open'`)

export const updateMerged = writes.run<Sql.UpdateMerged>('workspaceId, repository, number, commit, at')(`
  update pull_requests set state = 'merged', merge_commit = :commit, ended_at = :at
  where workspace_id = :workspaceId and repository = :repository and number = :number and state = 'open'`)
