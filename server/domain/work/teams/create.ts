import { maxSlugLength } from '@signalbox/contract/limits.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { checkedDescription, checkedName } from './checked.ts'
import { refuseTaken } from './refuse-taken.ts'
import { insertTeam } from './store.ts'

export interface NewTeam {
  name: string
  slug: string
  keyPrefix: string
  description?: string | null
}

/** Refuses a team that cannot be. */
export function checkedTeam({ slug, keyPrefix, name, description }: NewTeam): Required<NewTeam> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > maxSlugLength)
    throw invalid(`A team slug is lowercase words joined by hyphens, at most ${maxSlugLength} characters.`)
  if (!/^[A-Z][A-Z0-9]{0,9}$/.test(keyPrefix))
    throw invalid('A key prefix is a capital letter, then up to nine capital letters or digits.')
  return {
    slug,
    keyPrefix,
    name: checkedName(name),
    description: checkedDescription(description ?? null),
  }
}

/** Writes a team with its six columns. It has no policy yet: see policies/create-team.ts. */
export async function addTeam(
  ctx: Context,
  tx: Tx,
  input: Required<NewTeam>,
): Promise<{ id: string; slug: string; name: string }> {
  const at = ctx.clock.now()
  const team = { ...input, id: newId(at), at }
  if (!(await insertTeam(tx, ctx.workspaceId, team))) {
    await refuseTaken(tx, ctx.workspaceId, team)
    throw new DomainError('conflict', `There already is a team \`${team.slug}\`.`)
  }
  return team
}

const invalid = (message: string) => new DomainError('invalid_request', message)
