import type { IncidentNotification } from '@signalbox/contract/app/incidents.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export type What = IncidentNotification['what']

export const insertNotification = writes.run<Sql.InsertNotification, Nothing, { what: What }>(
  'workspaceId, ...notification',
)(`
  insert into tellings (id, workspace_id, incident_id, what, person_id, place_id, effect_id, state, created_at)
  values (:id, :workspaceId, :incidentId, :what, :personId?, :placeId?, :effectId, 'waiting', :at)`)

export const updateNotification = writes.run<
  Sql.UpdateNotification,
  Nothing,
  { state: 'sent' | 'refused' | 'skipped' }
>('workspaceId, effectId, { state, reason, at }')(`
  update tellings set state = :state, reason = :reason?, settled_at = :at
  where workspace_id = :workspaceId and effect_id = :effectId`)

// Leaves out former members, places that are gone, and skipped messages, such as mail without a mailer.
export const selectNotificationsOfIncident = reads.many<
  Sql.SelectNotificationsOfIncident,
  IncidentNotification
>('workspaceId, incidentKey')(`
  select "by", "to", what, state, attempts, error, iso(at) as at
  from (
    select case when t.person_id is null then 'post' else 'mail' end as "by!", coalesce(p.name, c.name) as "to!", t.what,
      case when t.state <> 'waiting' then t.state when e.due_at is null then 'dropped' else 'waiting' end as "state!",
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

export const deleteNotificationsBefore = writes.count<Sql.DeleteNotificationsBefore>(
  'workspaceId, beforeId, most',
)(`
  delete from tellings where id in (
    select t.id from tellings t
    join incidents i on i.workspace_id = t.workspace_id and i.id = t.incident_id and i.status = 'resolved'
    join effects e on e.id = t.effect_id and e.due_at is null
    where t.workspace_id = :workspaceId and t.id < :beforeId
    order by t.id
    limit #most
  )`)
