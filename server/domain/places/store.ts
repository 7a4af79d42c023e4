import type { Place as ListedPlace } from '@signalbox/contract/app/services.ts'
import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export interface Place {
  tool: string
  address: string
  name: string
}

const place = statement<Place>(`
  select tool, address, name from places where workspace_id = :workspaceId and id = :id`)

export async function selectPlace(db: Db, workspaceId: string, id: string): Promise<Place | undefined> {
  return (await read(db, place, { workspaceId, id }))[0]
}

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
