import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type KeptPullRequest, type NewPullRequest, revertPrefix } from '../ports/pull-requests.ts'

const kept = statement<KeptPullRequest>(`
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
  return (await read(db, kept, { workspaceId, repository, ...by }))[0]
}

export async function selectOpenReverts(
  db: Db | Tx,
  workspaceId: string,
  repository: string,
): Promise<KeptPullRequest[]> {
  return [...(await read(db, kept, { workspaceId, repository, prefix: `${revertPrefix}%` }))]
}

const lock = statement('select pg_advisory_xact_lock(4406, hashtext(:workspaceId || :repository))')

/** Numbers are given one after the other. */
export async function lockNumbers(tx: Tx, workspaceId: string, repository: string): Promise<void> {
  await write(tx, lock, { workspaceId, repository })
}

export async function insertPullRequest(
  tx: Tx,
  workspaceId: string,
  repository: string,
  { title, body, base, branch, head, run }: NewPullRequest,
  at: Date,
): Promise<void> {
  await sql`
    insert into pull_requests (workspace_id, repository, number, title, body, base, branch, head, state, run_id,
      opened_at)
    select ${workspaceId}, ${repository}, coalesce(max(number), 0) + 1, ${title}, ${body}, ${base}, ${branch},
      ${head}, 'open', (select id from runs where workspace_id = ${workspaceId} and key = ${run}), ${at}
    from pull_requests where workspace_id = ${workspaceId} and repository = ${repository}
  `.execute(tx)
}

export async function updateHead(
  tx: Tx,
  workspaceId: string,
  repository: string,
  number: number,
  { title, body, base, head }: NewPullRequest,
): Promise<void> {
  await sql`
    update pull_requests set title = ${title}, body = ${body}, base = ${base}, head = ${head}
    where workspace_id = ${workspaceId} and repository = ${repository} and number = ${number} and state = 'open'
  `.execute(tx)
}

/** Those of earlier attempts: nobody is to merge them beside the newer one. */
export async function closeOthersOfRun(
  tx: Tx,
  workspaceId: string,
  repository: string,
  { branch, run }: NewPullRequest,
  at: Date,
): Promise<void> {
  await sql`
    update pull_requests set state = 'closed', ended_at = ${at}
    where workspace_id = ${workspaceId} and repository = ${repository} and branch <> ${branch} and state = 'open'
      and run_id = (select id from runs where workspace_id = ${workspaceId} and key = ${run})
  `.execute(tx)
}

export async function updateMerged(
  tx: Tx,
  workspaceId: string,
  repository: string,
  number: number,
  commit: string,
  at: Date,
): Promise<void> {
  await sql`
    update pull_requests set state = 'merged', merge_commit = ${commit}, ended_at = ${at}
    where workspace_id = ${workspaceId} and repository = ${repository} and number = ${number} and state = 'open'
  `.execute(tx)
}
