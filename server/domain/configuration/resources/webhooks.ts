import type { ManagedWebhook } from '@signalbox/contract/manage/webhooks.ts'
import type { WebhookEvent } from '@signalbox/contract/webhook-events.ts'
import { DomainError } from '../../errors.ts'
import { addEndpoint } from '../../tools/webhooks/add.ts'
import { changeEndpoint } from '../../tools/webhooks/change.ts'
import { listEndpoints } from '../../tools/webhooks/list.ts'
import { removeEndpoint } from '../../tools/webhooks/remove.ts'
import { checkedDescription, checkedEvents, checkedUrl, nameOf } from '../../tools/webhooks/settings.ts'
import type { Kind, Names } from './kind.ts'
import { suggestedName } from './suggested.ts'

export const webhooksKind: Kind<ManagedWebhook> = {
  list: async (ctx, names) =>
    (await listEndpoints(ctx)).map(({ id, url, description, events, teams }) => ({
      ...{ id, suggested: suggestedName(nameOf({ url, description })) },
      spec: {
        ...{ url, description, events: events as WebhookEvent[] },
        teams: teams?.map((team) => names.nameOf('teams', team)).sort() ?? null,
      },
    })),
  full: ({ url, description = '', events, teams = null }) => ({
    ...{ url: URL.canParse(url) ? new URL(url).href : url, description: checkedDescription(description) },
    ...{ events: checkedEvents(events), teams: teams && [...new Set(teams)].sort() },
  }),
  brief: ({ description, teams, ...spec }) => ({
    ...spec,
    ...(description ? { description } : {}),
    ...(teams ? { teams } : {}),
  }),
  refers: (_, { teams }) => (teams ?? []).map((name) => ({ kind: 'teams', name })),
  async check(_, { before, wanted: { url, teams } }, { tools }) {
    if (url !== before?.url) await checkedUrl(url, tools.sender)
    if (teams?.length === 0)
      throw new DomainError('invalid_request', '`teams` is empty. Name teams, or leave it out for all.')
  },
  isSame: (given, found) =>
    URL.canParse(given.url) &&
    new URL(given.url).href === found.url &&
    (given.description ?? '') === found.description,
  async create(ctx, _, wanted, { names, tools, mark }) {
    return (await addEndpoint(ctx, tools, byId(wanted, names), mark)).id
  },
  change: (ctx, id, { wanted }, { names, tools }) => changeEndpoint(ctx, tools, id, byId(wanted, names)),
  remove: (ctx, id) => removeEndpoint(ctx, id),
}

const byId = ({ url, description = '', events, teams = null }: ManagedWebhook, names: Names) => ({
  ...{ url, description, events },
  teams: teams?.map((team) => names.idOf('teams', team)) ?? null,
})
