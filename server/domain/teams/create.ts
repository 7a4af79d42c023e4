import { newId } from '../../infra/ids.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { addPolicy, checkedPolicy } from '../policies/change.ts'
import type { Preset } from '../policies/presets.ts'
import { requireRole } from '../workspaces/roles.ts'
import { checkedDescription, checkedName } from './checked.ts'
import { insertTeam, selectTaken } from './store.ts'

export interface NewTeam {
  name: string
  slug: string
  keyPrefix: string
  description?: string | null
  /** How closely it is supervised from its first day. */
  preset: Preset
}

/** Makes a team with its six columns and its first policy. */
export async function createTeam(ctx: Context, wanted: NewTeam): Promise<{ id: string; slug: string }> {
  requireRole(ctx, 'admin', 'create a team')
  const { slug, keyPrefix } = wanted
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > 64)
    throw invalid('A team slug is lowercase words joined by hyphens, at most 64 characters.')
  if (!/^[A-Z][A-Z0-9]{0,9}$/.test(keyPrefix))
    throw invalid('A key prefix is a capital letter, then up to nine capital letters or digits.')
  const name = checkedName(wanted.name)
  const description = checkedDescription(wanted.description ?? null)
  const policy = checkedPolicy({ preset: wanted.preset, reason: 'The first policy of the team' })
  return change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const team = { id: newId(at), workspaceId: ctx.workspaceId, slug, name, description, keyPrefix, at }
    if (!(await insertTeam(tx, team))) {
      const taken = await selectTaken(tx, ctx.workspaceId, team)
      const what = taken === 'keyPrefix' ? `whose stories begin with ${keyPrefix}-` : `\`${slug}\``
      throw new DomainError('conflict', `There is, or was, a team ${what}. Choose another.`)
    }
    const { audit } = await addPolicy(ctx, tx, team, policy)
    return {
      value: { id: team.id, slug },
      audit: [
        {
          event: 'team_created',
          team: slug,
          entity: { type: 'team', id: slug, name },
          details: { keyPrefix, preset: wanted.preset },
        },
        audit,
      ],
    }
  })
}

const invalid = (message: string) => new DomainError('invalid_request', message)
