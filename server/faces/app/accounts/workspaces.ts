import type { personalWrites, reads, writes } from '@signalbox/contract/app/workspaces.ts'
import { allowNetworks, readNetworks } from '../../../domain/accounts/workspaces/allow-networks.ts'
import { changeWorkspace } from '../../../domain/accounts/workspaces/change.ts'
import { putChecklistAway, readChecklist } from '../../../domain/accounts/workspaces/checklist.ts'
import { createOwnWorkspace } from '../../../domain/accounts/workspaces/create-own.ts'
import { deleteWorkspace } from '../../../domain/accounts/workspaces/delete.ts'
import { listPagingSources } from '../../../domain/accounts/workspaces/list-paging-sources.ts'
import { readWorkspace } from '../../../domain/accounts/workspaces/read.ts'
import { removeMember } from '../../../domain/accounts/workspaces/remove-member.ts'
import {
  mayTokenAnswerOwnAgent,
  setTokenAnswersOwnAgent,
} from '../../../domain/accounts/workspaces/token-answers-own-agent.ts'
import { listRunners } from '../../../domain/engine/runners/list.ts'
import { DomainError } from '../../../domain/errors.ts'
import { search } from '../../../domain/work/search/search.ts'
import type { Handlers, PersonalHandlers } from '../operation.ts'

export const workspacesHandlers: Handlers<typeof reads & typeof writes> = {
  'workspaces.read': (ctx) => readWorkspace(ctx),
  'workspaces.search': async (ctx, { q }) => ({ data: [...(await search(ctx, q ?? ''))] }),
  'workspaces.ownAnswers': async (ctx) => ({ allowed: await mayTokenAnswerOwnAgent(ctx) }),
  'workspaces.integrations': async (ctx, _, { connected }) => ({
    ...connected,
    work: connected.work || (await listRunners(ctx)).some(({ online }) => online),
    pagers: [...(await listPagingSources(ctx))],
  }),
  'workspaces.checklist': (ctx) => readChecklist(ctx),
  'workspaces.putChecklistAway': async (ctx, { putAway }) => {
    await putChecklistAway(ctx, putAway)
    return null
  },
  'workspaces.change': async (ctx, { name }) => {
    await changeWorkspace(ctx, { name })
    return null
  },
  'workspaces.setOwnAnswers': async (ctx, { allowed }) => {
    await setTokenAnswersOwnAgent(ctx, allowed)
    return null
  },
  'workspaces.networks': async (ctx) => ({
    ...(await readNetworks(ctx)),
    address: ctx.origin?.address ?? '',
  }),
  'workspaces.allowNetworks': async (ctx, input) => {
    await allowNetworks(ctx, input)
    return null
  },
  'workspaces.leave': async (ctx) => {
    if (ctx.actor.type === 'human') await removeMember(ctx, ctx.actor.userId)
    return null
  },
  'workspaces.delete': async (ctx, { slug }) => {
    const workspace = await readWorkspace(ctx)
    if (slug !== workspace.slug)
      throw new DomainError('invalid_request', `Type \`${workspace.slug}\` to confirm.`)
    await deleteWorkspace(ctx, workspace)
    return null
  },
}

export const workspacesPersonalHandlers: PersonalHandlers<typeof personalWrites> = {
  'workspaces.create': (person, input, services, { founding }) =>
    createOwnWorkspace(services, person, input, founding),
}
