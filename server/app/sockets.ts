import { SlackSockets } from '../faces/slack/sockets.ts'
import { escaped } from '../integrations/chat/mrkdwn.ts'
import type { Engine } from './engine.ts'
import type { Http } from './http.ts'
import type { Base, Part } from './parts.ts'

/** Sockets to the chat tools that cannot reach this server, so that clicks come back the way we went. */
export function startSockets(
  { clock, log, storage }: Base,
  { publicUrl }: Http,
  { queue, ports: { chat } }: Engine,
): Part {
  if (!chat) return { stop: () => {} }
  const { db, secrets } = storage
  const sockets = new SlackSockets({ db, clock, queue, secrets, publicUrl, chat, log, escaped })
  sockets.start()
  return sockets
}
