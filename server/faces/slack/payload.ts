import type { ParsedUrlQuery } from 'node:querystring'

/** What Slack sends, as far as it is looked at. It has been proven before; its fields may still be anything. */
export type SlackPayload =
  | { type: 'challenge'; challenge: string }
  | { type: 'command'; user: string; userName: string; channel: string; text: string }
  | { type: 'click'; user: string; channel: string; action: string; note: string | null }
  /** Someone wrote in a thread. */
  | { type: 'said'; user: string; channel: string; thread: string; message: string; text: string }
  | { type: 'other' }

/** As it can be stored: PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : ''

/** A slash command, as a form or through a socket. */
export const commandIn = (form: ParsedUrlQuery | Record<string, unknown>): SlackPayload => ({
  type: 'command',
  user: text(form.user_id),
  userName: text(form.user_name),
  channel: text(form.channel_id),
  text: text(form.text),
})

/** A press of a button. Link buttons open their URL and are reported as well. */
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

/** What happened in a channel: only what a person wrote in a thread, and not that it was edited or deleted. */
export function eventIn(given: unknown): SlackPayload {
  const { type, event } = (given ?? {}) as { type?: unknown; event?: Record<string, unknown> }
  if (type !== 'event_callback' || event?.type !== 'message') return { type: 'other' }
  const isByPerson = event.bot_id === undefined && event.app_id === undefined
  const isNew = event.subtype === undefined || event.subtype === 'thread_broadcast'
  const [thread, message] = [text(event.thread_ts), text(event.ts)]
  if (!isByPerson || !isNew || thread === '' || thread === message) return { type: 'other' }
  const [user, channel] = [text(event.user), text(event.channel)]
  return { type: 'said', user, channel, thread, message, text: plainTextOf(text(event.text)) }
}

/** As the person typed it: Slack escapes three characters, and writes links in angle brackets. */
const plainTextOf = (written: string): string =>
  written
    .replaceAll(/<(https?:[^|<>]+)(?:\|[^<>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
