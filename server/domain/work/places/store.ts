import type { Channel } from '@signalbox/contract/app/chat.ts'
import type { Place as ListedPlace } from '@signalbox/contract/app/services.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectPlaces = reads.many<Sql.SelectPlaces, ListedPlace>('workspaceId, team')(`
  select p.id, p.tool, p.name
  from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  where p.workspace_id = :workspaceId and t.slug = :team
  order by p.name collate "und-x-icu", p.id`)

/** False: the team is in that channel already. */
export const insertPlace = writes.wroteOne<
  Sql.InsertPlace,
  Nothing,
  ListedPlace & { teamId: string; connectionId: string; address: string; at: Date }
>('workspaceId, ...row')(`
  insert into places (id, workspace_id, team_id, connection_id, tool, name, address, created_at)
  values (:id, :workspaceId, :teamId, :connectionId, :tool, :name, :address, :at)
  on conflict (workspace_id, team_id, tool, address)
  do update set connection_id = excluded.connection_id, name = excluded.name
  where places.connection_id is null`)

/** What it was called; undefined: the team was not there. */
export const deletePlace = writes.value<Sql.DeletePlace>('workspaceId, teamId, id')(`
  delete from places where workspace_id = :workspaceId and team_id = :teamId and id = :id
  returning name`)

export const selectChannels = reads.many<Sql.SelectChannels, Channel>('workspaceId, team')(`
  select p.id, p.name, c.id as connection, c.name as "connectionName"
  from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  left join connections c on c.workspace_id = p.workspace_id and c.id = p.connection_id and c.deleted_at is null
  where p.workspace_id = :workspaceId and t.slug = :team
  order by p.name collate "und-x-icu", p.id`)

export const selectPlaceIn = reads.value<Sql.SelectPlaceIn>('workspaceId, ...where')(`
  select p.id from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.deleted_at is null
  where p.workspace_id = :workspaceId and t.slug = :team and p.connection_id = :connection and p.address = :channel`)

export const selectAllPlaces = reads.many<Sql.SelectAllPlaces>('workspaceId')(`
  select p.id, t.slug as team, c.id as connection, p.address as channel, p.name
  from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.deleted_at is null
  join connections c on c.workspace_id = p.workspace_id and c.id = p.connection_id and c.deleted_at is null
  where p.workspace_id = :workspaceId
  order by p.id`)
