import type { ManagedPlace } from '@signalbox/contract/manage/places.ts'
import { DomainError } from '../../errors.ts'
import { addPlace } from '../../work/places/add.ts'
import { listAllPlaces } from '../../work/places/list-all.ts'
import { removePlace } from '../../work/places/remove.ts'
import type { Kind } from './kind.ts'
import { suggestedName } from './suggested.ts'

export const placesKind: Kind<ManagedPlace> = {
  list: async (ctx, names) =>
    (await listAllPlaces(ctx)).map(({ id, team, connection, channel, name }) => ({
      ...{ id, suggested: suggestedName(`${team} ${name}`) },
      spec: { team, connection: names.nameOf('connections', connection), channel },
    })),
  full: ({ team, connection, channel }) => ({ team, connection, channel }),
  brief: (spec) => spec,
  refers: (_, { team, connection }) => [
    { kind: 'teams', name: team },
    { kind: 'connections', name: connection },
  ],
  check(_, { before }) {
    if (before) throw fixed()
  },
  isSame: (given, found) => given.team === found.team && given.channel === found.channel,
  async create(ctx, _, { team, connection, channel }, { names, tools, mark }) {
    const where = { team, connection: names.idOf('connections', connection), link: channel }
    return (await addPlace(ctx, tools, where, mark)).id
  },
  change() {
    throw fixed()
  },
  async remove(ctx, id) {
    const place = (await listAllPlaces(ctx)).find((one) => one.id === id)
    if (place) await removePlace(ctx, place.team, id)
  },
}

const fixed = () =>
  new DomainError(
    'invalid_request',
    'A place cannot be changed. Write it under another name in the file, and apply it with prune.',
  )
