import { dictionary } from '@signalbox/contract/dictionary.ts'
import {
  type RefusalExtent,
  type RefusalReason,
  ToolBusy,
  ToolRefused,
} from '../../domain/ports/connection.ts'

interface SlackBody {
  ok?: unknown
  error?: unknown
}

/** What Slack refuses, told in an answer with status 200; null: nothing. */
export function slackFailure(path: string, body: unknown, now: Date): ToolBusy | ToolRefused | null {
  const { ok, error: said } = (body ?? {}) as SlackBody
  if (ok === true) return null
  const error = typeof said === 'string' ? said : 'unknown'
  if (momentary.has(error)) return new ToolBusy(`Slack can’t do that now (${error}).`, null, now)
  const known = refusalAt(path, error)
  if (known) return new ToolRefused(known.reason, known.message, { answer: body, extent: known.extent })
  // Its own words for errors are short names; nothing else of what it wrote is repeated.
  const name = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : ''
  return new ToolRefused('invalid', `Slack didn’t accept the request${name}.`, { answer: body })
}

function refusalAt(path: string, error: string): Refusal | undefined {
  if (path === socketPath && badTokens.has(error)) return badAppToken
  // Apps from before people were written to alone lack it, and everything else works.
  if (path === directPath && error === 'missing_scope') return noDirect
  return refusals[error]
}

const directPath = '/conversations.open'
/** The one method that is called with the app-level token. */
const socketPath = '/apps.connections.open'

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

interface Refusal {
  reason: RefusalReason
  extent: RefusalExtent
  message: string
}

const badCredentials: Refusal = {
  reason: 'unauthorized',
  extent: 'account',
  message: 'Slack rejected the bot token. Replace it with the one on the app’s OAuth & Permissions page.',
}
const badAppToken: Refusal = {
  reason: 'unauthorized',
  extent: 'place',
  message: 'Slack rejected the app-level token. Replace it with one that has the scope `connections:write`.',
}
const noPermission: Refusal = {
  reason: 'forbidden',
  extent: 'account',
  message: 'The Slack app lacks a permission. Compare its scopes with the manifest, then reinstall it.',
}
const noDirect: Refusal = {
  reason: 'forbidden',
  extent: 'place',
  message:
    'The Slack app can’t send direct messages. Add the scopes `im:write` and `im:history`, then reinstall it.',
}
const noChannel: Refusal = {
  reason: 'not_found',
  extent: 'place',
  message: 'Slack can’t find that channel, or hides it from Signalbox. Invite Signalbox to the channel.',
}
const closedChannel: Refusal = {
  reason: 'forbidden',
  extent: 'place',
  message: 'Slack doesn’t let Signalbox post in that channel. Change who may post there.',
}
const thing = (reason: RefusalReason, message: string): Refusal => ({ reason, extent: 'thing', message })

const badTokens = new Set([
  ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'],
  ...['not_allowed_token_type', 'missing_scope', 'no_permission'],
])

const refusals: Record<string, Refusal> = dictionary({
  invalid_auth: badCredentials,
  not_authed: badCredentials,
  account_inactive: badCredentials,
  token_revoked: badCredentials,
  token_expired: badCredentials,
  not_allowed_token_type: badCredentials,
  org_login_required: badCredentials,
  ekm_access_denied: noPermission,
  access_denied: noPermission,
  no_permission: noPermission,
  missing_scope: noPermission,
  team_access_not_granted: noPermission,
  channel_not_found: noChannel,
  not_in_channel: noChannel,
  is_archived: {
    reason: 'not_found',
    extent: 'place',
    message: 'The channel is archived in Slack. Restore it, or choose another in the team’s settings.',
  },
  restricted_action: closedChannel,
  restricted_action_read_only_channel: closedChannel,
  restricted_action_thread_only_channel: closedChannel,
  restricted_action_non_threadable_channel: closedChannel,
  posting_to_general_channel_denied: closedChannel,
  user_not_found: thing('not_found', 'Slack doesn’t know that person.'),
  user_not_in_channel: thing('not_found', 'That person isn’t in the channel.'),
  message_not_found: thing('not_found', 'The message was deleted in Slack.'),
  thread_not_found: thing('not_found', 'The message was deleted in Slack.'),
  cant_update_message: thing('forbidden', 'Slack doesn’t let Signalbox change that message.'),
})
