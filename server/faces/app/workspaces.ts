import type { personalWrites, reads, writes } from '@signalbox/contract/app/workspaces.ts'
import { DomainError } from '../../domain/errors.ts'
import { listRunners } from '../../domain/runners/list.ts'
import { search } from '../../domain/search/search.ts'
import { changeWorkspace } from '../../domain/workspaces/change.ts'
import { putChecklistAway, readChecklist } from '../../domain/workspaces/checklist.ts'
import { deleteWorkspace } from '../../domain/workspaces/delete.ts'
import { foundWorkspace } from '../../domain/workspaces/found.ts'
import { listPagers } from '../../domain/workspaces/list-pagers.ts'
import { readOwnAnswers, setOwnAnswers } from '../../domain/workspaces/own-answers.ts'
import { readWorkspace } from '../../domain/workspaces/read.ts'
import { removeMember } from '../../domain/workspaces/remove-member.ts'
import type { Handlers, PersonalHandlers } from './operation.ts'

export const workspacesHandlers: Handlers<typeof reads & typeof writes> = {
  'workspaces.read': (ctx) => readWorkspace(ctx),
  'workspaces.search': async (ctx, { q }) => ({ data: [...(await search(ctx, q ?? ''))] }),
  'workspaces.ownAnswers': async (ctx) => ({ allowed: await readOwnAnswers(ctx) }),
  'workspaces.integrations': async (ctx, _, { connected }) => ({
    ...connected,
    work: connected.work || (await listRunners(ctx)).some(({ online }) => online),
    pagers: [...(await listPagers(ctx))],
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
    await setOwnAnswers(ctx, allowed)
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
  'workspaces.create': (person, input, services) => foundWorkspace(services, person, input),
}
