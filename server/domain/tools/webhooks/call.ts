import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import type { WebhookAnswer, WebhookSender } from '../../ports/webhook-sender.ts'
import { bodyOf, messageId, type StoredMessage } from './message.ts'
import type { Attempted, Endpoint } from './store.ts'

/** How endpoints are called. */
export interface Calling {
  sender: WebhookSender
  secrets: Pick<Secrets, 'decrypt'>
  publicUrl: () => string
}

/** Where a message goes, and what it is signed with: one secret, or two while a new one is carried over. */
export interface Destination extends Pick<Endpoint, 'id' | 'url'> {
  secrets: readonly string[]
}

type Called = Attempted & Pick<WebhookAnswer, 'retryAfterMs'>

/** Sends a message to an endpoint once, signed for now, and says what came back. */
export async function callEndpoint(
  { clock }: Pick<Context, 'clock'>,
  { sender, publicUrl }: Pick<Calling, 'sender' | 'publicUrl'>,
  { url, secrets }: Destination,
  message: StoredMessage,
  signal?: AbortSignal,
): Promise<Called> {
  const at = clock.now()
  const began = performance.now()
  const { body, ...answer } = await sender.send({
    url,
    id: messageId(message.eventId),
    body: bodyOf(message, publicUrl()),
    secrets,
    at,
    ...(signal ? { signal } : {}),
  })
  const durationMs = Math.round(performance.now() - began)
  return { ...answer, answer: body, at, url, durationMs }
}

/** Nothing else is: a redirect is not followed, and a page that says that something is wrong is no receipt. */
export const isReceived = ({ status }: Pick<Attempted, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300
