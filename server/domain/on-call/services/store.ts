import type { ServiceActivity, ServiceRow } from '@signalbox/contract/app/services.ts'
import type { OnCallHours, OnCallSettings, Repository, Service } from '@signalbox/contract/service.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { affected, type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, readsApart, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type * as Sql from './store.types.ts'

const service = `
  select s.id, (select row_to_json(service) from (select
    s.id, s.name, t.slug as team, s.repositories,
    (select row_to_json(settings) from (select
      s.observe_only as "observeOnly", s.start_fixes as "startFixes", s.update_alerts as "updateAlerts",
      s.lowest_severity as "lowestSeverity", s.hours,
      array(
        -- People who have left the workspace are told nothing, and are not in the way of the next change.
        select person_id from service_members m join memberships using (workspace_id, person_id)
        where m.workspace_id = s.workspace_id and m.service_id = s.id order by person_id
      ) as notify,
      s.place_ids as places
    ) as settings) as settings,
    iso(s.created_at) as "createdAt", iso(s.updated_at) as "updatedAt"
  ) as service)::text as json
  from services s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
  where s.workspace_id = :workspaceId and s.deleted_at is null
`

export const selectService = reads.one<Sql.SelectService, Rendered<Service>>('workspaceId, id')(
  `${service} and s.id = :id`,
)

/** A service as the app lists it, but for what the hours say of now. */
export type StoredServiceRow = Service & Pick<ServiceRow, 'sources' | 'openIncident'>

const states = statement<Sql.States, { id: string; json: Json<StoredServiceRow> }>(`
  select s.id, (s.json::jsonb || jsonb_build_object(
    'sources', (
      select count(*) from source_services f join sources o on o.id = f.source_id and o.deleted_at is null
      where f.workspace_id = :workspaceId and f.service_id = s.id
    ),
    'openIncident', (
      select jsonb_build_object('key', i.key, 'title', i.title, 'severity', i.severity, 'openedAt', iso(i.opened_at),
        'assignee', p.name)
      from incidents i
      left join people p on p.id = i.assignee_id
      where i.workspace_id = :workspaceId and i.service_id = s.id and i.status = 'open'
    )
  ))::text as json
  from (${service} [[and t.slug = :team]] [[and s.id = :id]]) s
  order by (s.json::jsonb ->> 'name') collate "und-x-icu", s.id`)

export async function selectServiceRows(
  db: Db,
  workspaceId: string,
  filter: { team?: string; id?: string },
): Promise<StoredServiceRow[]> {
  return (await read(db, states, handedIn({ ...filter, workspaceId }))).map(({ json }) => fromJson(json))
}

/**
 * What services have been through since then. Of alerts that are reported again no index changes, so there is none by
 * that time: this walks along the alerts of each source.
 */
export const selectActivity = readsApart.many<
  Sql.SelectActivity,
  Omit<ServiceActivity, 'channels'> & { team: string; places: string[] | null }
>('workspaceId, { service }, since, { inApp, byMail, byPush }')(`
  select s.id as service, t.slug as team, s.place_ids as places,
    (select count(*)::int from source_services f
     join alerts a on a.source_id = f.source_id
     where f.workspace_id = s.workspace_id and f.service_id = s.id and a.workspace_id = s.workspace_id
       and a.service_id = s.id and a.last_at >= :since) as "alertsLastWeek!",
    (select json_build_object('key', i.key, 'title', i.title, 'severity', i.severity, 'openedAt', iso(i.opened_at),
       'resolvedAt', iso(i.resolved_at))
     from incidents i where i.workspace_id = s.workspace_id and i.service_id = s.id and not i.hidden
     order by i.id desc limit 1) as "lastIncident",
    (select coalesce(json_agg(json_build_object('name', p.name, 'ways', array_remove(array[
         case when coalesce(n.in_app, :inApp) then 'app' end,
         case when coalesce(n.by_mail, :byMail) then 'mail' end,
         case when coalesce(n.by_push, :byPush)
           and exists (select from push_subscriptions b where b.person_id = p.id) then 'push' end
       ], null)) order by p.name collate "und-x-icu", p.id), '[]'::json)
     from service_members m
     join memberships using (workspace_id, person_id)
     join people p on p.id = m.person_id
     left join notification_settings n on n.person_id = p.id and n.kind = 'incident'
     where m.workspace_id = s.workspace_id and m.service_id = s.id) as "members!"
  from services s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
  where s.workspace_id = :workspaceId and s.deleted_at is null [[and s.id = :service]]`)

/** Held, so that two changes come one after the other. */
export const lockService = writes.exists<Sql.LockService>('workspaceId, id')(`
  select from services where workspace_id = :workspaceId and id = :id and deleted_at is null for no key update`)

export interface StoredService {
  name: string
  repositories: Repository[]
  settings: OnCallSettings
}

/** The columns of the service's own row. Who to notify is kept in rows of their own. */
const columnsOf = ({ name, repositories, settings }: StoredService) => {
  const { hours, notify, ...others } = settings
  return {
    ...{ name, ...others },
    repositories: JSON.stringify(repositories),
    hours: hours && JSON.stringify(hours satisfies OnCallHours),
  }
}

const insertServiceSql = statement<Sql.InsertService>(`
  insert into services (id, workspace_id, team_id, name, repositories, observe_only, start_fixes, update_alerts,
    lowest_severity, hours, place_ids, created_at, updated_at)
  values (:id, :workspaceId, :teamId, :name, :repositories, :observeOnly, :startFixes, :updateAlerts,
    :lowestSeverity, :hours?, :places?, :at, :at)
  on conflict do nothing`)

/** False when the name is taken. */
export async function insertService(
  tx: Tx,
  workspaceId: string,
  service: StoredService & { id: string; teamId: string; at: Date },
): Promise<boolean> {
  const { id, teamId, at } = service
  const given = handedIn({ ...columnsOf(service), workspaceId, id, teamId, at })
  if ((await affected(tx, insertServiceSql, given)) !== 1) return false
  await replaceMembers(tx, workspaceId, id, service.settings.notify)
  return true
}

const updateServiceSql = statement<Sql.UpdateService>(`
  update services set name = :name, repositories = :repositories, observe_only = :observeOnly,
    start_fixes = :startFixes, update_alerts = :updateAlerts, lowest_severity = :lowestSeverity,
    hours = :hours?, place_ids = :places?, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

/** False when the name is taken, also in the same moment; nothing more can be done in the transaction then. */
export async function updateService(
  tx: Tx,
  workspaceId: string,
  id: string,
  service: StoredService,
  at: Date,
): Promise<boolean> {
  try {
    await write(tx, updateServiceSql, handedIn({ ...columnsOf(service), workspaceId, id, at }))
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'services_by_name') return false
    throw error
  }
  await replaceMembers(tx, workspaceId, id, service.settings.notify)
  return true
}

const markDeletedSql = statement<Sql.MarkDeleted>(`
  update services set deleted_at = :at, updated_at = :at where workspace_id = :workspaceId and id = :id`)

const deleteFeedsSql = statement<Sql.DeleteFeeds>(
  `delete from source_services where workspace_id = :workspaceId and service_id = :id`,
)

export async function markDeleted(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await write(tx, markDeletedSql, { workspaceId, at, id })
  await write(tx, deleteFeedsSql, { workspaceId, id })
}

const deleteServiceMembersSql = statement<Sql.DeleteServiceMembers>(
  `delete from service_members where workspace_id = :workspaceId and service_id = :id`,
)

const replaceMembersSql = statement<Sql.ReplaceMembers>(`
  insert into service_members (workspace_id, service_id, person_id)
  select :workspaceId, :id, unnest(:people::uuid[])`)

async function replaceMembers(tx: Tx, workspaceId: string, id: string, people: string[]): Promise<void> {
  await write(tx, deleteServiceMembersSql, { workspaceId, id })
  await write(tx, replaceMembersSql, { workspaceId, id, people })
}

/** The first of each that is no member, or no place of the team. */
export const selectStrangers = reads.only<Sql.SelectStrangers>('workspaceId, team, { people, places }')(`
  select (
    select id from unnest(:people::uuid[]) as id
    where id not in (select person_id from memberships where workspace_id = :workspaceId)
    limit 1
  ) as person, (
    select id from unnest(:places::uuid[]) as id
    where id not in (
      select p.id from places p join teams t on t.id = p.team_id and t.slug = :team
      where p.workspace_id = :workspaceId
    )
    limit 1
  ) as place`)

const audience = statement<Sql.Audience>(`
  select
    array(
      select m.person_id from service_members m
      join memberships using (workspace_id, person_id)
      where m.workspace_id = s.workspace_id and m.service_id = s.id
      order by m.person_id
    ) as members,
    array(
      select p.id from places p
      where p.workspace_id = s.workspace_id and p.team_id = s.team_id
        and (s.place_ids is null or p.id = any(s.place_ids))
      order by p.id
    ) as places
  from services s
  where s.workspace_id = :workspaceId and s.id = :id`)

export type Audience = Sql.Audience['row']

export async function selectAudience(tx: Tx, workspaceId: string, id: string): Promise<Audience> {
  return (await read(tx, audience, { workspaceId, id }))[0] ?? { members: [], places: [] }
}
