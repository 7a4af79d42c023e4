import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import type { Connecting } from '../../tools/connections/connect.ts'
import { listProjects } from '../../tools/connections/list-choices.ts'
import { lockConnection } from '../../tools/connections/lock.ts'
import { lockTeam } from '../teams/lock.ts'
import { deleteTracker, selectTrackers, upsertTracker } from './store.ts'

export interface WantedTracker {
  connection: string
  /** Its id and its key over there; the rest is looked up. */
  project: { id: string; key: string }
  label?: string | null
}

/** Says where a team's stories come from. Null: from nowhere else, they are written here. */
export async function bindTracker(
  ctx: Context,
  tools: Connecting,
  slug: string,
  wanted: WantedTracker | null,
): Promise<void> {
  requireRole(ctx, 'admin', 'choose where a team’s stories come from')
  const label = wanted?.label ? checkedText('label', wanted.label, { least: 1, most: 100 }) : null
  const found = wanted && (await projectOf(ctx, tools, wanted))
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const [before] = await selectTrackers(tx, ctx.workspaceId, { teamId: team.id })
    if (found) {
      await lockConnection(tx, ctx.workspaceId, found.connection.id)
      const { id, key, name, url } = found.project
      const isFree = await upsertTracker(tx, ctx.workspaceId, {
        ...{ teamId: team.id, connectionId: found.connection.id, label, boundAt: ctx.clock.now() },
        ...{ projectId: id, projectKey: key, projectName: name, projectUrl: url },
      })
      if (!isFree)
        throw new DomainError(
          'conflict',
          `Another team already gets its stories from ${key}. Give each team its own label.`,
        )
    } else await deleteTracker(tx, ctx.workspaceId, team.id)
    const changes = [
      {
        field: 'tracker',
        before: before?.projectKey ?? null,
        after: found ? `${toolNames[found.connection.kind]} ${found.project.key}` : null,
      },
      { field: 'tracker.label', before: before?.label ?? null, after: label },
    ].filter((one) => one.before !== one.after)
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

/** Names and addresses come from the tracker, not from the request. */
async function projectOf(ctx: Context, tools: Connecting, { connection: id, project }: WantedTracker) {
  const { connection, projects } = await listProjects(ctx, tools, id, project.key)
  const found = projects.find((one) => one.id === project.id)
  if (!found)
    throw new DomainError(
      'invalid_request',
      `${toolNames[connection.kind]} doesn’t show ${project.key} to this connection.`,
    )
  return { connection, project: found }
}
