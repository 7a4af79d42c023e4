import type { reads, writes } from '@signalbox/contract/app/chat.ts'
import { allowLinkByEmail } from '../../../domain/work/chat/allow-link-by-email.ts'
import { confirmLink, readLink } from '../../../domain/work/chat/link.ts'
import { sendTest } from '../../../domain/work/chat/send-test.ts'
import { readChatSettings } from '../../../domain/work/chat/settings.ts'
import { addPlace } from '../../../domain/work/places/add.ts'
import { listChannels } from '../../../domain/work/places/list-channels.ts'
import { removePlace } from '../../../domain/work/places/remove.ts'
import type { Handlers } from '../operation.ts'

export const chatHandlers: Handlers<typeof reads & typeof writes> = {
  'chat.channels': async (ctx, { team }) => ({ data: [...(await listChannels(ctx, team))] }),
  'chat.settings': (ctx, { connection }, tools) => readChatSettings(ctx, tools, connection),
  'chat.link': (ctx, { code }, tools) => readLink(ctx, tools, code),
  'chat.addChannel': (ctx, input, tools) => addPlace(ctx, tools, input),
  'chat.removeChannel': async (ctx, { team, channel }) => {
    await removePlace(ctx, team, channel)
    return null
  },
  'chat.linkByEmail': async (ctx, { allowed }) => {
    await allowLinkByEmail(ctx, allowed)
    return null
  },
  'chat.sendTest': (ctx, input, tools) => sendTest(ctx, tools, input),
  'chat.confirmLink': async (ctx, { code }) => {
    await confirmLink(ctx, code)
    return null
  },
}
