import type { ViewFilter } from '@signalbox/contract/app/views.ts'
import { maxViews } from '@signalbox/contract/limits.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireTeam } from '../teams/read.ts'
import { changesOf } from './changes.ts'
import { selectViewCount, selectViewForUpdate, upsertView } from './store.ts'

interface Saved {
  team: string
  name: string
  filter: ViewFilter
}

/** Saves what a person has a board narrowed to, under a name. The one that had the name is replaced. */
export async function saveView(ctx: Context, personId: string, given: Saved): Promise<{ id: string }> {
  const { team, filter } = given
  const name = given.name.trim()
  if (name === '') throw new DomainError('invalid_parameter', 'Enter a `name` for the view.')
  await requireTeam(ctx, team)
  return change(ctx, async (tx) => {
    const before = await selectViewForUpdate(tx, ctx.workspaceId, personId, name)
    if (!before && (await selectViewCount(tx, ctx.workspaceId, personId)) >= maxViews)
      throw new DomainError('conflict', `You have ${maxViews} views. Delete one before you save another.`)
    const view = { id: newId(ctx.clock.now()), team, name, filter }
    const id = await upsertView(tx, ctx.workspaceId, personId, view)
    return {
      value: { id },
      audit: {
        event: 'view_changed',
        team,
        entity: { type: 'view', id, name },
        details: {
          change: before ? 'replaced' : 'saved',
          changes: changesOf(before ?? null, { team, filter }),
        },
      },
    }
  })
}
