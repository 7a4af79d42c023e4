import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type RefusalReason, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { ToolAnswer } from './call.ts'

/** What an answer of the Web API says. Thrown where it says no. */
export function understood({ body }: ToolAnswer, now: Date): Record<string, unknown> {
  if (body?.ok === true) return body
  const error = typeof body?.error === 'string' ? body.error : 'unknown'
  const known = refusals[error]
  if (known) throw new ToolRefused(known[0], known[1], { answer: body })
  if (momentary.has(error)) throw new ToolBusy(`Slack can’t do that now (${error}).`, null, now)
  // Its own words for errors are short names; nothing else of what it wrote is repeated.
  const name = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : ''
  throw new ToolRefused('invalid', `Slack didn’t accept the request${name}.`, { answer: body })
}

const momentary = new Set([
  ...[
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'ratelimited',
    'rate_limited',
  ],
  ...['team_added_to_org', 'unknown'],
])

const badCredentials: [RefusalReason, string] = [
  'unauthorized',
  'Slack rejected the bot token. Replace it with the one on the app’s OAuth & Permissions page.',
]
const noChannel: [RefusalReason, string] = [
  'not_found',
  'Slack can’t find that channel, or hides it from Signalbox. Invite Signalbox to the channel.',
]

const refusals: Record<string, [RefusalReason, string]> = dictionary({
  invalid_auth: badCredentials,
  not_authed: badCredentials,
  account_inactive: badCredentials,
  token_revoked: badCredentials,
  token_expired: badCredentials,
  missing_scope: [
    'forbidden',
    'The Slack app lacks a permission. Compare its scopes with the manifest, then reinstall it.',
  ],
  channel_not_found: noChannel,
  not_in_channel: noChannel,
  is_archived: ['not_found', 'The channel is archived in Slack.'],
  user_not_found: ['not_found', 'Slack doesn’t know that person.'],
  message_not_found: ['not_found', 'The message was deleted in Slack.'],
  cant_update_message: ['forbidden', 'Slack doesn’t let Signalbox change that message.'],
})
