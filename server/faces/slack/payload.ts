import type { ParsedUrlQuery } from 'node:querystring'

/** What Slack sends, as far as it is looked at. It has been proven before; its fields may still be anything. */
export type SlackPayload =
  | { type: 'challenge'; challenge: string }
  | { type: 'command'; user: string; userName: string; channel: string; text: string }
  | { type: 'click'; user: string; channel: string; action: string; note: string | null }
  | { type: 'other' }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A slash command, as a form or through a socket. */
export const commandIn = (form: ParsedUrlQuery | Record<string, unknown>): SlackPayload => ({
  type: 'command',
  user: text(form.user_id),
  userName: text(form.user_name),
  channel: text(form.channel_id),
  text: text(form.text),
})

/** A press of a button. Those that are links lead away by themselves and are told of as well. */
export function interactionIn(given: unknown): SlackPayload {
  const payload = given as {
    type?: unknown
    user?: { id?: unknown }
    channel?: { id?: unknown }
    actions?: { action_id?: unknown; type?: unknown }[]
    state?: { values?: { note?: { note?: { value?: unknown } } } }
  }
  const action = text(payload?.actions?.[0]?.action_id)
  if (payload?.type !== 'block_actions' || action === '' || action.startsWith('link-'))
    return { type: 'other' }
  return {
    type: 'click',
    user: text(payload.user?.id),
    channel: text(payload.channel?.id),
    action,
    note: text(payload.state?.values?.note?.note?.value) || null,
  }
}
