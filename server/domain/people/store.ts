import type { Role } from '@signalbox/contract/member.ts'
import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const session = statement<{
  sessionId: string
  personId: string
  name: string
  email: string
  workspaceId: string | null
  workspaceSlug: string | null
  workspaceName: string | null
  role: Role | null
}>(`
  select s.id as "sessionId", p.id as "personId", p.name, p.email,
    w.id as "workspaceId", w.slug as "workspaceSlug", w.name as "workspaceName", m.role
  from sessions s
  join people p on p.id = s.person_id
  left join workspaces w on w.slug = :workspace and w.deleted_at is null
  left join memberships m on m.workspace_id = w.id and m.person_id = p.id
  where s.token = :digest and s.expires_at > :now`)

export async function selectSession(db: Db, digest: string, now: Date, workspace: string) {
  return (await read(db, session, { digest, now, workspace }))[0]
}

const workspacesOf = statement<{ slug: string; name: string; role: Role }>(`
  select w.slug, w.name, m.role
  from memberships m
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId
  order by lower(w.name), w.slug`)

export async function selectWorkspacesOf(db: Db, personId: string) {
  return read(db, workspacesOf, { personId })
}
