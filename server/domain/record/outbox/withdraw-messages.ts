import type { Tx } from '../../../infra/db/db.ts'
import type { EffectKind } from './effect.ts'
import { withdrawKindsOfAllWorkspaces } from './store.ts'

/**
 * Messages to people. Nothing outside tells whether one was sent before; every other effect finds out what is there
 * before it adds to it.
 */
const messages: EffectKind[] = [
  'post_ephemeral_message',
  'offer_chat_link',
  'post_incident',
  'mail_member',
  'mail_notification',
  'mail_report',
  'post_report',
  'push_notification',
]

/** Withdraws what waits to be sent to people, because it may have been. Returns the workspace of each. */
export const withdrawMessages = (tx: Tx, reason: string): Promise<string[]> =>
  withdrawKindsOfAllWorkspaces(tx, messages, reason)
