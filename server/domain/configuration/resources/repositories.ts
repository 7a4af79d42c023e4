import { isDeepStrictEqual } from 'node:util'
import type { ManagedRepositories } from '@signalbox/contract/manage/repositories.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { bindRepositories } from '../../work/bindings/bind-repositories.ts'
import { readBindings } from '../../work/bindings/read.ts'
import { readFolders } from '../../work/repositories/read.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import { setInside } from '../../work/repositories/set-inside.ts'
import { listTeams } from '../../work/teams/list.ts'
import type { Kind, Names, World } from './kind.ts'

type One = ManagedRepositories['repositories'][number]

export const repositoriesKind: Kind<ManagedRepositories> = {
  async list(ctx, names) {
    const teams = (await listTeams(ctx)).map(fromJson)
    const found = await Promise.all(
      teams.map(async ({ id, slug }) => ({
        ...{ id, suggested: slug },
        spec: full({ repositories: await repositoriesOf(ctx, slug, names) }),
      })),
    )
    return found.filter(({ spec }) => spec.repositories.length > 0)
  },
  full,
  brief: ({ repositories }) => ({
    repositories: repositories.map(({ branch, inside, image, ...one }) => ({
      ...one,
      ...(branch === undefined || branch === 'main' ? {} : { branch }),
      ...(inside === 'tools' ? {} : { inside, image }),
    })) as One[],
  }),
  refers: (name, { repositories }) => [
    { kind: 'teams', name },
    ...repositories.flatMap(({ connection }) =>
      connection === undefined ? [] : [{ kind: 'connections' as const, name: connection }],
    ),
  ],
  isSame: () => false,
  async create(ctx, slug, wanted, world) {
    await settle(ctx, slug, { before: { repositories: [] }, wanted }, world)
    return world.names.idOf('teams', slug)
  },
  change: (ctx, id, change, world) => settle(ctx, world.names.nameOf('teams', id), change, world),
  remove: (ctx, _, slug, { tools }) => setRepositories(ctx, tools.gitHost, slug, []),
}

async function repositoriesOf(ctx: Context, slug: string, names: Names): Promise<One[]> {
  const [{ repositories }, folders] = [await readBindings(ctx, slug), await readFolders(ctx, slug)]
  return repositories.map(({ name, connection, remoteId, inside, image }) => {
    const folder = folders.repositories.find((one) => one.name === name)
    const where = connection
      ? { connection: names.nameOf('connections', connection), id: remoteId ?? '' }
      : { address: folder?.address ?? '', branch: folder?.branch ?? 'main' }
    return { name, ...where, inside, image }
  })
}

/** By name. A folder has an address and a branch; what is of a connection has its id there. */
function full({ repositories }: ManagedRepositories): ManagedRepositories {
  const isFolder = ({ address, connection, id }: One) => address !== undefined && !connection && !id
  const isOfConnection = ({ address, connection, id, branch }: One) =>
    connection !== undefined && id !== undefined && address === undefined && branch === undefined
  if (!repositories.every(isFolder) && !repositories.every(isOfConnection))
    throw new DomainError(
      'invalid_request',
      'The repositories of a team are all folders, each with `address`, or all of connections, each with `connection` and `id`.',
    )
  const all = repositories.map(
    ({ name, address, branch, connection, id, inside = 'tools', image = null }) => ({
      name,
      ...(address === undefined
        ? { connection: connection!, id: id! }
        : { address, branch: branch ?? 'main' }),
      ...{ inside, image: inside === 'image' ? image : null },
    }),
  )
  return { repositories: all.toSorted((a, b) => (a.name < b.name ? -1 : 1)) as One[] }
}

async function settle(
  ctx: Context,
  slug: string,
  { before, wanted }: { before: ManagedRepositories; wanted: ManagedRepositories },
  { names, tools }: World,
): Promise<void> {
  const places = ({ repositories }: ManagedRepositories) =>
    repositories.map(({ inside: _, image: __, ...where }) => where)
  const isMoved = !isDeepStrictEqual(places(before), places(wanted))
  if (isMoved && wanted.repositories.some(({ connection }) => connection))
    await bindRepositories(
      ...([ctx, tools, slug] as const),
      wanted.repositories.map(({ name, id, connection }) => ({
        ...{ name, id: id!, connection: names.idOf('connections', connection!) },
      })),
    )
  else if (isMoved)
    await setRepositories(
      ...([ctx, tools.gitHost, slug] as const),
      wanted.repositories.map(({ name, address, branch }) => ({ name, address: address!, branch: branch! })),
    )
  for (const { name, inside = 'tools', image = null } of wanted.repositories)
    await setInside(ctx, slug, { repository: name, inside, image })
}
