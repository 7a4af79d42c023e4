import type { Telling } from '@signalbox/contract/app/incidents.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export type What = Telling['what']

export async function insertTelling(
  tx: Tx,
  workspaceId: string,
  telling: {
    id: string
    incidentId: string
    what: What
    personId: string | null
    placeId: string | null
    effectId: string
    at: Date
  },
): Promise<void> {
  await sql`
    insert into tellings (id, workspace_id, incident_id, what, person_id, place_id, effect_id, state, created_at)
    values (${telling.id}, ${workspaceId}, ${telling.incidentId}, ${telling.what}, ${telling.personId},
      ${telling.placeId}, ${telling.effectId}, 'waiting', ${telling.at})
  `.execute(tx)
}

export async function updateTelling(
  tx: Tx,
  workspaceId: string,
  effectId: string,
  { state, reason, at }: { state: 'sent' | 'refused' | 'skipped'; reason: string | null; at: Date },
): Promise<void> {
  await sql`
    update tellings set state = ${state}, reason = ${reason}, settled_at = ${at}
    where workspace_id = ${workspaceId} and effect_id = ${effectId}
  `.execute(tx)
}

// Whoever has left, and a place that is gone, are not shown; nor is a mail that nobody could send.
const tellings = statement<Telling>(`
  select "by", "to", what, state, attempts, error, iso(at) as at
  from (
    select case when t.person_id is null then 'post' else 'mail' end as "by", coalesce(p.name, c.name) as "to", t.what,
      case when t.state <> 'waiting' then t.state when e.due_at is null then 'dropped' else 'waiting' end as state,
      e.attempts, coalesce(t.reason, e.last_error) as error, coalesce(t.settled_at, t.created_at) as at, t.created_at
    from tellings t
    join incidents i on i.workspace_id = t.workspace_id and i.id = t.incident_id
    join effects e on e.id = t.effect_id
    left join memberships m on m.workspace_id = t.workspace_id and m.person_id = t.person_id
    left join people p on p.id = m.person_id
    left join places c on c.workspace_id = t.workspace_id and c.team_id = i.team_id and c.id = t.place_id
    where t.workspace_id = :workspaceId and i.key = :incidentKey and coalesce(p.id, c.id) is not null
      and t.state <> 'skipped'
    union all
    select way."by", p.name, n.what, way.state, 1, null, way.at, n.created_at
    from notifications n
    join memberships m on m.workspace_id = n.workspace_id and m.person_id = n.person_id
    join people p on p.id = m.person_id
    cross join lateral (values
      ('app', case when n.shown_at is null then 'sent' else 'shown' end, coalesce(n.shown_at, n.created_at), n.in_app),
      ('push', 'sent', n.pushed_at, n.pushed_at is not null)
    ) as way ("by", state, at, wanted)
    where n.workspace_id = :workspaceId and n.kind = 'incident' and n.thing = :incidentKey and way.wanted
  ) as told
  order by created_at, "to", "by"`)

export async function selectTellings(
  db: Db,
  workspaceId: string,
  incidentKey: string,
): Promise<readonly Telling[]> {
  return read(db, tellings, { workspaceId, incidentKey })
}
