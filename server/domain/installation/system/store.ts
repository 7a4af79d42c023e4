import { reads } from '../../../infra/db/queries.ts'
import { connectedRunner, isListed } from '../../engine/orders/connected-runner.ts'
import type * as Sql from './store.types.ts'

/**
 * What an operator watches, over all workspaces. Every statement reads a bounded number of rows, by an index over those
 * that wait: a backlog of millions is told as "at least so many", and is not made worse by being looked at.
 */

/** Ids begin with the moment they were made at. */
export const selectIntakeOfAllWorkspaces = reads.only<Sql.SelectIntakeOfAllWorkspaces>('most')(`
  select count(*)::int as "waiting!", min(id::text) as "oldestId"
  from (select id from intake limit #most) as bounded`)

export const selectUnsealedOfAllWorkspaces = reads.only<Sql.SelectUnsealedOfAllWorkspaces>('most')(`
  select count(*)::int as "waiting!", min(entry_id::text) as "oldestId"
  from (select entry_id from audit_unsealed limit #most) as bounded`)

/** What was tried and failed waits since it was ordered, everything else since it was due. */
export const selectOutboxOfAllWorkspaces = reads.many<Sql.SelectOutboxOfAllWorkspaces>('now, most')(`
  select kind, count(*)::int as "waiting!",
    count(*) filter (where attempts >= 3 and last_error is not null or parked_by is not null)::int as "failing!",
    min(case when last_error is not null or parked_by is not null then created_at
      when due_at <= :now then due_at end) as "oldestAt"
  from (
    select kind, attempts, last_error, parked_by, created_at, due_at from effects
    where due_at is not null order by due_at limit #most
  ) as bounded
  group by kind`)

export const selectWebhooksOfAllWorkspaces = reads.many<Sql.SelectWebhooksOfAllWorkspaces>()(`
  select case when state = 'active' and failing_since is not null then 'failing' else state end as "state!",
    count(*)::int as "endpoints!", min(failing_since) as "failingSince"
  from webhook_endpoints where deleted_at is null
  group by 1`)

export const selectWebhookQueueOfAllWorkspaces = reads.only<Sql.SelectWebhookQueueOfAllWorkspaces>('most')(`
  select count(*)::int as "waiting!", min(occurred_at) as "oldestAt"
  from (
    select d.occurred_at from webhook_endpoints e
    join webhook_deliveries d on d.endpoint_id = e.id and d.due_at is not null
    where e.state = 'active' and e.deleted_at is null
    limit #most
  ) as bounded`)

export const selectHookQueueOfAllWorkspaces = reads.only<Sql.SelectHookQueueOfAllWorkspaces>('most')(`
  select count(*)::int as "waiting!", min(received_at) as "oldestAt"
  from (select received_at from hook_deliveries where due_at is not null order by due_at limit #most) as bounded`)

/**
 * Failing: the last answer was a refusal, something waits because of one, or its webhooks do not arrive. Sources with
 * which alerts are updated in the tool count too.
 */
export const selectConnectionsOfAllWorkspaces = reads.many<Sql.SelectConnectionsOfAllWorkspaces>()(`
  select kind as "kind!", state as "state!", count(*)::int as "connections!"
  from (
    select c.kind, case when c.last_refusal_at > coalesce(c.last_success_at, '-infinity')
        or c.hooks_state in ('failing', 'off')
        or exists (
          select from tool_refusals r
          where r.workspace_id = c.workspace_id and r.connection_id = c.id and r.mended_at is null
        ) then 'failing' else 'working' end as state
    from connections c where c.deleted_at is null
    union all
    select s.kind, case when exists (
        select from tool_refusals r
        where r.workspace_id = s.workspace_id and r.source_id = s.id and r.mended_at is null
      ) then 'failing' else 'working' end
    from sources s where s.credentials is not null and s.deleted_at is null
  ) as tools
  group by 1, 2`)

export const selectRunnersOfAllWorkspaces = reads.many<Sql.SelectRunnersOfAllWorkspaces>('now, since')(`
  select case when r.left_at is not null then 'signed_off' when c.id is null then 'offline'
      when r.drains then 'draining' else r.state end as "state!",
    count(*)::int as "runners!", sum(r.slots)::int as "slots!"
  from runners r
  left join (select w.id from ${connectedRunner} where w.last_seen_at > :since) as c on c.id = r.id
  where r.state <> 'removed' and r.forgotten_at is null and ${isListed}
  group by 1`)

export const selectWaitingRunsOfAllWorkspaces = reads.many<Sql.SelectWaitingRunsOfAllWorkspaces>('most')(`
  select reason as "reason!", count(*)::int as "runs!"
  from (
    select case when reason is null then 'turn' else coalesce(waits_for, 'other') end as reason
    from runs where phase = 'queued' limit #most
  ) as bounded
  group by 1`)

export const selectStuckRunsOfAllWorkspaces = reads.onlyValue<Sql.SelectStuckRunsOfAllWorkspaces>('most')(`
  select count(*)::int as "runs!"
  from (select from runs where stuck_since is not null limit #most) as bounded`)

/** Those that people work on themselves are silent for a day, and that is well. */
export const selectOrdersOfAllWorkspaces = reads.many<Sql.SelectOrdersOfAllWorkspaces>('most')(`
  select state as "state!", count(*)::int as "orders!",
    min(offered_at) as "oldestAt", min(lease_until) as "firstLeaseUntil"
  from (
    select state, offered_at, lease_until from work_orders
    where state <> 'ended' and person_id is null limit #most
  ) as bounded
  group by 1`)

/** Of nodes that were killed, a row is left for an hour. */
export const selectNodesOfInstance = reads.many<Sql.SelectNodesOfInstance>()(`
  select id, started_at as "startedAt", lease_until > clock_timestamp() as "isServing!",
    version, migration, host, skew_ms as "skewMs", secret_keys as "secretKeys"
  from nodes where lease_until > clock_timestamp() - interval '1 hour'
  order by started_at`)

export const selectDatabaseOfInstance = reads.only<Sql.SelectDatabaseOfInstance>()(`
  select current_setting('server_version') as "version!", current_setting('max_connections')::int as "mostConnections!",
    (select sum(numbackends)::int from pg_stat_database) as "connections!",
    current_user::text as "role!", session_user::text as "login!",
    clock_timestamp() as "now!", pg_is_in_recovery() as "isStandby!"`)

/** Each table's files are asked for their size, so it is read once a minute. */
export const selectDatabaseSizeOfInstance = reads.onlyValue<Sql.SelectDatabaseSizeOfInstance>()(`
  select pg_database_size(current_database()) as "bytes!"`)

export const selectMigrationOfInstance = reads.one<Sql.SelectMigrationOfInstance>()(`
  select number, name, applied_at as "appliedAt" from migrations order by number desc limit 1`)

/** Only a role that may read all statistics is told where a replica is; others see its name, and not even its state. */
export const selectReplicasOfInstance = reads.many<Sql.SelectReplicasOfInstance>()(`
  select coalesce(nullif(application_name, ''), pid::text) as "name!",
    case when state is not null then coalesce(extract(epoch from replay_lag), 0)::float8 end as "lagSeconds",
    case when state is not null
      then greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, flush_lsn)), 0)::bigint
    end as "lagBytes"
  from pg_stat_replication
  where not pg_is_in_recovery() and (state is null or coalesce(replay_lsn, flush_lsn) is not null)`)
