import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { type Opening, openConnection } from '../../tools/connections/open.ts'
import { channelOf, inWords } from '../places/channel-link.ts'

/** Posts a message whose button proves that clicks reach us. */
export async function sendTest(
  ctx: Context,
  { chat, secrets }: { chat: Chat | null } & Pick<Opening, 'secrets'>,
  input: { connection: string; link: string },
): Promise<{ name: string }> {
  requireRole(ctx, 'admin', 'test a connection')
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, input.connection)
  const channel = await channelOf(chat, connection, input.link)
  await chat!
    .post(connection, {
      ...{ channel: channel.id, key: `test/${ctx.clock.now().getTime()}`, under: null, mayBeThere: false },
      message: {
        title: 'Test from Signalbox',
        body: ['Press the button. If clicks reach Signalbox, it says so here.'],
        buttons: [{ id: 'test/click', label: 'Press me', explained: null, isRecommended: true }],
        ...{ note: null, links: [], footer: null },
      },
    })
    .catch(inWords)
  await change(ctx, async () => ({
    value: undefined,
    audit: {
      event: 'connection_changed',
      entity: { type: 'connection', id: connection.id, name: connection.name },
      details: { change: 'tested', missing: [] },
    },
  }))
  return { name: channel.name }
}
