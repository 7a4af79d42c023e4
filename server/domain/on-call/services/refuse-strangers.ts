import type { OnCallSettings } from '@signalbox/contract/service.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { invalid } from './settings.ts'
import { selectStrangers } from './store.ts'

/** Everyone to notify must be a member of the workspace, and every place must belong to the service's team. */
export async function refuseStrangers(
  tx: Tx,
  workspaceId: string,
  team: string,
  { notify, places }: Pick<OnCallSettings, 'notify' | 'places'>,
): Promise<void> {
  const { person, place } = await selectStrangers(tx, workspaceId, team, {
    people: notify,
    places: places ?? [],
  })
  if (person) throw invalid(`notify names ${person}, who is not a member of the workspace. Remove that id`)
  if (place) throw invalid(`places names ${place}, which is not a place of the team. Remove that id`)
}
