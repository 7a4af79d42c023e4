import { isDeepStrictEqual } from 'node:util'
import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { GitHost, TeamRepository } from '../../ports/git-host.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockTeam } from '../teams/lock.ts'
import { replaceRepositories } from './replace.ts'

type NamedFolder = Pick<TeamRepository, 'name' | 'address' | 'branch'>

/**
 * Sets the repositories of a team, replacing all it had; an empty list removes them. What git cannot use is refused
 * now, with the remedy: otherwise the first run would find out.
 */
export async function setRepositories(
  ctx: Context,
  gitHost: Pick<GitHost, 'troubleWith'> | null,
  slug: string,
  wanted: readonly NamedFolder[],
): Promise<void> {
  requireRole(ctx, 'admin', 'set the repositories of a team')
  const repositories = wanted.map(checked)
  refuseTwice(repositories)
  for (const repository of gitHost ? repositories : []) {
    const trouble = await gitHost!.troubleWith(ctx.workspaceId, repository)
    if (trouble) throw new DomainError('invalid_request', `The repository can’t be used: ${trouble}`)
  }
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'repositories', team.id)
    const before = await replaceRepositories(tx, ctx.workspaceId, team.id, repositories)
    const changes = differences(before, repositories)
    if (changes.length === 0) return { value: undefined, audit: [] }
    await ctx.queue.send(tx, { task: 'repositories', workspaceId: ctx.workspaceId, id: team.id })
    return {
      value: undefined,
      audit: {
        event: 'team_changed',
        team: slug,
        entity: { type: 'team', id: slug, name: team.name },
        details: { changes },
      },
    }
  })
}

/** A repository goes by its name, and is worked on once. */
function refuseTwice(repositories: readonly TeamRepository[]): void {
  for (const field of ['name', 'address'] as const) {
    const all = repositories.map((one) => one[field])
    const twice = all.find((one, at) => all.indexOf(one) !== at)
    if (twice !== undefined)
      throw new DomainError(
        'invalid_request',
        `Two repositories of a team can’t both have the ${field} ${twice}.`,
      )
  }
}

/** What has changed: of one repository each field, of several their names and what differs in those that stayed. */
function differences(before: readonly TeamRepository[], after: readonly TeamRepository[]) {
  const isOne = before.length < 2 && after.length < 2
  const names = (all: readonly TeamRepository[]) => all.map(({ name }) => name).toSorted()
  const pairs = isOne
    ? [{ said: 'repository', former: before[0], now: after[0] }]
    : after.map((now) => ({
        said: now.name,
        former: before.find(({ name }) => name === now.name) ?? now,
        now,
      }))
  const fields = pairs.flatMap(({ said, former, now }) =>
    (['name', 'address', 'branch'] as const).map((field) => ({
      ...{ field: `${said}.${field}`, before: former?.[field] ?? null, after: now?.[field] ?? null },
    })),
  )
  const listed = { field: 'repositories', before: names(before), after: names(after) }
  return [...(isOne ? [] : [listed]), ...fields].filter((one) => !isDeepStrictEqual(one.before, one.after))
}

const plainName = /^[\p{L}\p{N}][\p{L}\p{N}._ /-]*$/u

/** What `git check-ref-format` accepts, as far as it matters in practice. */
const branchName = /^(?![/.-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u

function checked(wanted: NamedFolder): TeamRepository {
  const name = checkedText('name', wanted.name, { least: 1, most: 200 })
  if (!plainName.test(name))
    throw new DomainError(
      'invalid_request',
      'The name of a repository is made of letters, digits, `.`, `-` and `/`.',
    )
  const address = checkedText('address', wanted.address, { least: 1, most: 500 })
  if (repositoryAddressIn(address)?.scheme !== 'file')
    throw new DomainError(
      'invalid_request',
      'The address of a repository is a folder on the server, such as `/srv/git/shop.git`.',
    )
  const branch = checkedText('branch', wanted.branch, { least: 1, most: 200 })
  if (!branchName.test(branch))
    throw new DomainError(
      'invalid_request',
      `\`${branch}\` can’t be the name of a branch. Write it as git does: \`main\`.`,
    )
  return { name, host: 'local', address, branch, connectionId: null, remoteId: null }
}
