import type { reads, SourceRow, writes } from '@signalbox/contract/app/sources.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { listAlertRows } from '../../../domain/on-call/alerts/list-rows.ts'
import { listDeliveryRows } from '../../../domain/on-call/signals/list-delivery-rows.ts'
import { listRefusals } from '../../../domain/on-call/signals/list-refusals.ts'
import { readDeliveryPage } from '../../../domain/on-call/signals/read-delivery-page.ts'
import { addSource } from '../../../domain/on-call/sources/add.ts'
import { sourceAddress } from '../../../domain/on-call/sources/address.ts'
import { changeSource } from '../../../domain/on-call/sources/change.ts'
import { deleteSource } from '../../../domain/on-call/sources/delete.ts'
import { endFormerSecret } from '../../../domain/on-call/sources/end-former-secret.ts'
import { listSourceRows, readSourceRow } from '../../../domain/on-call/sources/list-rows.ts'
import { pauseSource } from '../../../domain/on-call/sources/pause.ts'
import { readRecipe } from '../../../domain/on-call/sources/read-recipe.ts'
import { rotateSecret } from '../../../domain/on-call/sources/rotate-secret.ts'
import { sendTestAlert } from '../../../domain/on-call/sources/send-test.ts'
import { type AppTools, type Handlers, paged } from '../operation.ts'

type Tools = Pick<AppTools, 'signalUrl'>

function sourceRow(source: Omit<SourceRow, 'url'> & { token: string }, tools: Tools): SourceRow {
  const { token: _, ...rest } = source
  return { ...rest, url: sourceAddress(source, tools.signalUrl()) }
}

export const sourcesHandlers: Handlers<typeof reads & typeof writes> = {
  'sources.list': async (ctx, filter, tools) => ({
    data: (await listSourceRows(ctx, filter)).map((source) => sourceRow(source, tools)),
  }),
  'sources.read': async (ctx, { source }, tools) => sourceRow(await readSourceRow(ctx, source), tools),
  'sources.recipe': (ctx, { source }, { testMarks }) => readRecipe(ctx, testMarks, source),
  'sources.deliveries': (ctx, input, tools) =>
    paged(ctx, tools, 'sources.deliveries', input, (page) => listDeliveryRows(ctx, input.source, page)),
  'sources.delivery': (ctx, { source, delivery }) => readDeliveryPage(ctx, source, delivery),
  'sources.refusals': async (ctx, { source }) => ({ data: await listRefusals(ctx, source) }),
  'sources.alerts': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'sources.alerts', input, (page) => listAlertRows(ctx, filter, page))
  },
  'sources.add': async (ctx, input, tools) => {
    const { source, secret } = await addSource(ctx, tools.secrets, input)
    const stored = fromJson(source)
    return { id: stored.id, url: sourceAddress(stored, tools.signalUrl()), secret }
  },
  'sources.change': async (ctx, { source, ...input }, { secrets }) => {
    await changeSource(ctx, secrets, source, input)
    return null
  },
  'sources.rotate': async (ctx, { source, ...input }, { secrets }) => {
    const { secret, formerUntil } = await rotateSecret(ctx, secrets, source, input)
    return { secret, formerSecretUntil: formerUntil.toISOString() }
  },
  'sources.endFormerSecret': async (ctx, { source }) => {
    await endFormerSecret(ctx, source)
    return null
  },
  'sources.pause': async (ctx, { source }) => {
    await pauseSource(ctx, source, true)
    return null
  },
  'sources.resume': async (ctx, { source }) => {
    await pauseSource(ctx, source, false)
    return null
  },
  'sources.delete': async (ctx, { source }) => {
    await deleteSource(ctx, source)
    return null
  },
  'sources.test': (ctx, { source, ...how }, { intake }) => sendTestAlert(ctx, intake, source, how),
}
