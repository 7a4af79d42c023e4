import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import type { SlackDouble } from './slack.ts'

const page = await readFile(path.join(import.meta.dirname, 'slack-page.html'), 'utf8')

/** What the page asks for; anything else is refused by its shape. */
interface Done {
  user?: unknown
  channel?: unknown
  thread?: unknown
  ts?: unknown
  action?: unknown
  note?: unknown
  text?: unknown
}

/**
 * Lets a person look at the double: a page that shows its channels, on which buttons can be pressed, messages written
 * and commands typed, as one of its users. For the demo; it serves this machine alone.
 */
export function serveSlackPage(slack: SlackDouble): string {
  const { origin } = new URL(slack.url)
  slack.serve = (request, response, body) =>
    void answer(slack, origin, request, body)
      .then(({ status = 200, type = 'application/json', text }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...safe })
        response.end(text)
      })
      .catch(() => refuse(response))
  return origin
}

const safe = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
}

const refuse = (response: ServerResponse) => response.writeHead(500).end()

async function answer(
  slack: SlackDouble,
  origin: string,
  request: IncomingMessage,
  body: string,
): Promise<{ status?: number; type?: string; text: string }> {
  const url = new URL(request.url ?? '/', origin)
  // Another page in the same browser must not press buttons here.
  const isOurs =
    request.headers.host === new URL(origin).host && (request.headers.origin ?? origin) === origin
  if (!isOurs) return { status: 403, text: '{}' }
  if (request.method === 'GET' && url.pathname === '/')
    return { type: 'text/html; charset=utf-8', text: page }
  if (request.method === 'GET' && url.pathname === '/state')
    return { text: JSON.stringify(stateFor(slack, url.searchParams.get('user') ?? '')) }
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
    return { status: 404, text: '{}' }
  const done = JSON.parse(body) as Done
  const [user, channel] = [`${done.user}`, `${done.channel}`]
  if (!slack.users.has(user) || !slack.channels.has(channel)) return { status: 400, text: '{}' }
  if (url.pathname === '/press') await press(slack, user, channel, done)
  else if (url.pathname === '/say') await say(slack, user, channel, done)
  else return { status: 404, text: '{}' }
  return { text: '{}' }
}

async function press(slack: SlackDouble, user: string, channel: string, { ts, action, note }: Done) {
  const message = slack.messages.find((one) => one.channel === channel && one.ts === ts)
  if (message) await slack.press(message, `${action}`, user, note ? `${note}` : undefined)
}

async function say(slack: SlackDouble, user: string, channel: string, { text, thread }: Done) {
  const [, command] = /^\/signalbox\b\s*([\s\S]*)$/.exec(`${text}`) ?? []
  if (command === undefined) {
    await slack.say(`${text}`.slice(0, 4_000), user, { channel, thread: thread ? `${thread}` : null })
    return
  }
  const response = await slack.command(command, user, channel)
  const said = (await response.json().catch(() => ({}))) as { text?: string }
  if (said.text) slack.ephemeralMessages.push({ channel, user, text: said.text, ts: slack.nextTs() })
}

function stateFor(slack: SlackDouble, user: string) {
  return {
    users: [...slack.users.values()].map(({ id, name }) => ({ id, name })),
    channels: [...slack.channels].map(([id, { name }]) => ({ id, name })),
    messages: slack.messages.map(({ key: _, ...message }) => message),
    ephemeralMessages: slack.ephemeralMessages.filter((ephemeral) => ephemeral.user === user),
  }
}
