import { imageIn, maxImageLength } from '@signalbox/contract/image.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Inside } from '../../ports/git-host.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockTeam } from '../teams/lock.ts'
import { selectRepositories, updateInside } from './store.ts'

/** Says what the work on one of a team's repositories runs in. Orders that wait for a runner follow it too. */
export async function setInside(
  ctx: Context,
  slug: string,
  wanted: { repository: string; inside: Inside; image: string | null },
): Promise<void> {
  requireRole(ctx, 'admin', 'choose what the work of a team runs in')
  const { repository: name, inside } = wanted
  const image = inside === 'image' ? checkedImage(wanted.image) : null
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'repositories', team.id)
    const before = (await selectRepositories(tx, ctx.workspaceId, { teamId: team.id })).find(
      (repository) => repository.name === name,
    )
    if (!before)
      throw new DomainError(
        'invalid_request',
        `\`repository\` has to be one of the team’s: it has none named ${name}.`,
      )
    const changes = [
      { field: `repository.inside`, before: before.inside ?? 'tools', after: inside },
      { field: `repository.image`, before: before.image ?? null, after: image },
    ].filter((one) => one.before !== one.after)
    if (changes.length === 0) return { value: undefined, audit: [] }
    await updateInside(tx, ctx.workspaceId, team.id, { name, inside, image })
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

function checkedImage(text: string | null): string {
  const image = checkedText('image', text ?? '', { least: 1, most: maxImageLength })
  if (!imageIn(image))
    throw new DomainError(
      'invalid_request',
      `\`image\` has to be the name of an image, such as \`node:24-bookworm\` or \`ghcr.io/acme/ci@sha256:…\`.`,
    )
  return image
}
