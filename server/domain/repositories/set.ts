import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { GitHost, TeamRepository } from '../ports/git-host.ts'
import { requireRole } from '../roles.ts'
import { lockTeam } from '../teams/lock.ts'
import { checkedText } from '../text.ts'
import { insideAsBefore } from './replace.ts'
import { deleteRepositories, insertRepository, selectRepositories } from './store.ts'

type NamedFolder = Pick<TeamRepository, 'name' | 'address' | 'branch'>

/**
 * Says where a team's code is, or that nobody knows any more. What git cannot use is refused now, with the remedy:
 * otherwise the first run would find out.
 */
export async function setRepository(
  ctx: Context,
  gitHost: Pick<GitHost, 'troubleWith'> | null,
  slug: string,
  wanted: NamedFolder | null,
): Promise<void> {
  requireRole(ctx, 'admin', 'set the repository of a team')
  const repository = wanted && checked(wanted)
  if (repository && gitHost) {
    const trouble = await gitHost.troubleWith(ctx.workspaceId, repository)
    if (trouble) throw new DomainError('invalid_request', `The repository can’t be used: ${trouble}`)
  }
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const before = await selectRepositories(tx, ctx.workspaceId, { teamId: team.id })
    const changes = (['name', 'address', 'branch'] as const)
      .map((field) => ({
        field: `repository.${field}`,
        before: before[0]?.[field] ?? null,
        after: repository?.[field] ?? null,
      }))
      .filter((one) => one.before !== one.after)
    if (changes.length === 0 && before.length < 2) return { value: undefined, audit: [] }
    await deleteRepositories(tx, ctx.workspaceId, team.id)
    if (repository)
      await insertRepository(tx, ctx.workspaceId, team.id, {
        ...repository,
        ...insideAsBefore(before, repository),
      })
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

const plainName = /^[\p{L}\p{N}][\p{L}\p{N}._ /-]*$/u

/** What `git check-ref-format` takes, as far as anybody uses it. */
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
