import { addEffect } from '../../record/outbox/add.ts'
import { fileStory } from '../../work/stories/file.ts'
import { isReadyAsProposed } from '../../work/stories/readiness.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { recordStep } from '../../work/timeline/append.ts'
import { decideProposal } from '../lifecycle/proposal-store.ts'
import type { Action } from './option-action.ts'

/**
 * Files what was proposed: as a story, in Ready where it is that complete, or else as a requirement, which is then
 * drafted and refined like any other.
 */
export const acceptProposal: Action = async (ctx, tx, { decision, note }) => {
  const proposal = await decideProposal(
    tx,
    ctx.workspaceId,
    decision.proposalId!,
    'accepted',
    ctx.clock.now(),
  )
  const team = (await lockTeamById(tx, ctx.workspaceId, proposal.teamId))!
  if (!proposal.story) {
    const text = [proposal.title, proposal.body, note].filter(Boolean).join('\n\n')
    await addEffect(ctx, tx, {
      kind: 'submit_requirement',
      key: `submit_requirement/${proposal.id}`,
      data: { team: team.slug, text },
    })
    const message = 'The proposal is now a requirement, to be drafted as stories.'
    return {
      effects: [
        { type: 'requirement_submitted', status: 'queued', target: { type: 'team', id: team.slug }, message },
      ],
      entries: [],
    }
  }
  const proposed = note
    ? { ...proposal.story, description: `${proposal.story.description}\n\n${note}` }
    : proposal.story
  const isReady = isReadyAsProposed(proposed)
  const story = await fileStory(ctx, tx, team, proposed, {
    column: isReady ? 'ready' : 'refining',
    draft: false,
  })
  await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
  const onIncident = proposal.incidentId
    ? await recordStep(
        ctx,
        tx,
        proposal.incidentId,
        isReady ? `Started an urgent fix: ${story.key}` : `Filed ${story.key}`,
        { change: isReady ? 'fix_started' : 'story_filed', story: story.key },
      )
    : []
  return {
    effects: [
      {
        type: 'story_filed',
        status: 'done',
        target: { type: 'story', id: story.key },
        message: isReady
          ? `Filed as ${story.key}. ${team.name} starts on it when it has a free slot.`
          : `Filed as ${story.key}. It needs refining before ${team.name} can start on it.`,
      },
    ],
    entries: [
      {
        event: 'story_changed',
        team: team.slug,
        entity: { type: 'story', id: story.key, name: proposed.title },
        details: {
          change: 'filed_from_proposal',
          classOfService: proposed.classOfService,
          column: isReady ? 'ready' : 'refining',
        },
      },
      ...onIncident,
    ],
  }
}
