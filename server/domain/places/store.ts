import type { Channel } from '@signalbox/contract/app/chat.ts'
import type { Place as ListedPlace } from '@signalbox/contract/app/services.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const ofTeam = statement<ListedPlace>(`
  select p.id, p.tool, p.name
  from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  where p.workspace_id = :workspaceId and t.slug = :team
  order by p.name collate "und-x-icu", p.id`)

export async function selectPlaces(
  db: Db,
  workspaceId: string,
  team: string,
): Promise<readonly ListedPlace[]> {
  return read(db, ofTeam, { workspaceId, team })
}

/** False: the team is in that channel already. */
export async function insertPlace(
  tx: Tx,
  workspaceId: string,
  row: ListedPlace & { teamId: string; connectionId: string; address: string; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into places (id, workspace_id, team_id, connection_id, tool, name, address, created_at)
    values (${row.id}, ${workspaceId}, ${row.teamId}, ${row.connectionId}, ${row.tool}, ${row.name},
      ${row.address}, ${row.at})
    on conflict (workspace_id, team_id, tool, address)
    do update set connection_id = excluded.connection_id, name = excluded.name
    where places.connection_id is null
  `.execute(tx)
  return numAffectedRows === 1n
}

/** What it was called; undefined: the team was not there. */
export async function deletePlace(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    delete from places where workspace_id = ${workspaceId} and team_id = ${teamId} and id = ${id}
    returning name
  `.execute(tx)
  return rows[0]?.name
}

const channels = statement<Channel>(`
  select p.id, p.name, c.id as connection, c.name as "connectionName"
  from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  left join connections c on c.workspace_id = p.workspace_id and c.id = p.connection_id and c.deleted_at is null
  where p.workspace_id = :workspaceId and t.slug = :team
  order by p.name collate "und-x-icu", p.id`)

export async function selectChannels(db: Db, workspaceId: string, team: string): Promise<readonly Channel[]> {
  return read(db, channels, { workspaceId, team })
}

const placeIn = statement<{ id: string }>(`
  select p.id from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.deleted_at is null
  where p.workspace_id = :workspaceId and t.slug = :team and p.connection_id = :connection and p.address = :channel`)

export async function selectPlaceIn(
  db: Db,
  workspaceId: string,
  where: { team: string; connection: string; channel: string },
): Promise<string | undefined> {
  return (await read(db, placeIn, { workspaceId, ...where }))[0]?.id
}
