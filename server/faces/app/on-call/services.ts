import type { reads, writes } from '@signalbox/contract/app/services.ts'
import { previewAlert } from '../../../domain/on-call/incidents/preview.ts'
import { listActivity } from '../../../domain/on-call/services/activity.ts'
import { changeService } from '../../../domain/on-call/services/change.ts'
import { createService } from '../../../domain/on-call/services/create.ts'
import { deleteService } from '../../../domain/on-call/services/delete.ts'
import { listPlacesOf } from '../../../domain/on-call/services/list-places.ts'
import { listServiceRows, readServiceRow } from '../../../domain/on-call/services/list-rows.ts'
import { listUptime } from '../../../domain/on-call/uptime/availability.ts'
import { isChatConnected } from '../../../domain/work/chat/is-connected.ts'
import type { Handlers } from '../operation.ts'

export const servicesHandlers: Handlers<typeof reads & typeof writes> = {
  'services.list': async (ctx, filter) => ({ data: await listServiceRows(ctx, filter) }),
  'services.read': (ctx, { service }) => readServiceRow(ctx, service),
  'services.activity': async (ctx, filter, { mailer }) => ({
    data: await listActivity(ctx, filter, mailer !== null),
  }),
  'services.uptime': async (ctx, { service }) => ({ data: await listUptime(ctx, service) }),
  'services.places': async (ctx, { service }, { mailer }) => ({
    data: [...(await listPlacesOf(ctx, service))],
    chat: await isChatConnected(ctx),
    mail: mailer !== null,
  }),
  'services.preview': (ctx, { service, severity, at }) => previewAlert(ctx, service, severity, at),
  'services.create': (ctx, input) => createService(ctx, input),
  'services.change': (ctx, { service, ...input }) => changeService(ctx, service, input),
  'services.delete': async (ctx, { service }) => {
    await deleteService(ctx, service)
    return null
  },
}
