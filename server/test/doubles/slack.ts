import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { slackScopes } from '@signalbox/contract/connection-kinds.ts'

/** A message as shown in a channel. */
export interface SlackMessage {
  channel: string
  ts: string
  threadTs: string | null
  text: string
  blocks: SlackBlock[]
  key: string | null
  /** Who wrote it; null: the app. */
  user: string | null
  /** Whether Slack would show what is behind its links. */
  unfurls?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: blocks are of many shapes
type SlackBlock = any

interface SlackUser {
  id: string
  name: string
  email: string
  isConfirmed?: boolean
}

interface Fault {
  status: number
  headers?: Record<string, string>
  body?: string
  /** The call takes effect before it fails: the answer got lost. */
  afterwards?: boolean
}

type Answer = Record<string, unknown> & { ok: boolean }

/**
 * Slack as far as we use it, on this machine: the methods of its Web API, strict about tokens, scopes, channels and
 * limits, with faults on command; and what people there do, signed as Slack signs it.
 */
export class SlackDouble {
  botToken = 'xoxb-double'
  readonly appToken = 'xapp-double'
  readonly signingSecret = 'signing-secret-of-the-double'
  readonly messages: SlackMessage[] = []
  readonly ephemeralMessages: { channel: string; user: string; text: string; ts: string }[] = []
  readonly channels = new Map<string, { name: string; isMember: boolean; isArchived: boolean }>()
  readonly users = new Map<string, SlackUser>()
  readonly calls: string[] = []
  /** When messages were posted and changed, as far apart as they are. */
  readonly writes: { method: string; channel: string; atMs: number }[] = []
  /** As Slack: more than one post a second and channel is refused, and says when to come back. */
  isStrict = false
  /** Where Slack would send what people do. */
  requestUrl = ''
  scopes = slackScopes
  /** What the workspace over there is called. */
  team = 'Double'
  url = ''
  /** Is told about each answer, such as one that holds it against what Slack publishes about itself. */
  answered: (method: string, given: Record<string, unknown>, answer: Answer) => void = () => {}
  readonly #played = new Set<string>()
  readonly #faults: Fault[] = []
  readonly #server = createServer((request, response) => void this.#respond(request, response))
  #clock = () => new Date()
  #count = 0
  #socket: Socket | undefined
  /** Also one that a caller opened again while the last one was closed. */
  readonly #open = new Set<Socket>()
  #envelopes = 0
  #isMute = false
  #isRevoked = false
  /** How often we were pinged, and our pings were answered. */
  readonly signs = { pings: 0, pongs: 0 }
  readonly #answers = new Map<string, (payload: unknown) => void>()

  static async start(options: { clock?: () => Date } = {}): Promise<SlackDouble> {
    const double = new SlackDouble()
    if (options.clock) double.#clock = options.clock
    double.#server.on('connection', (socket) => {
      double.#open.add(socket)
      socket.once('close', () => double.#open.delete(socket))
    })
    double.#server.on('upgrade', (request, socket) => double.#accept(request, socket as Socket))
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve))
    double.url = `http://127.0.0.1:${(double.#server.address() as AddressInfo).port}/api`
    return double
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#open) socket.destroy()
    await closed
  }

  addChannel(id: string, name: string, more: { isMember?: boolean; isArchived?: boolean } = {}): void {
    this.channels.set(id, { name, isMember: true, isArchived: false, ...more })
  }

  addUser(user: SlackUser): void {
    this.users.set(user.id, user)
  }

  /** The methods that have never been called with success. */
  get unplayed(): string[] {
    return Object.keys(methods).filter((method) => !this.#played.has(method))
  }

  /** A person revokes the bot's token. */
  revoke(): void {
    this.#isRevoked = true
  }

  /** The app is installed again, with the same token or another one. */
  reinstate(botToken = this.botToken): void {
    this.#isRevoked = false
    this.botToken = botToken
  }

  /** The next call fails like this. */
  fail(...faults: Fault[]): void {
    this.#faults.push(...faults)
  }

  /** The newest message of a channel that begins a thread. */
  parent(channel: string): SlackMessage | undefined {
    return this.messages.findLast((message) => message.channel === channel && message.threadTs === null)
  }

  replies(parent: SlackMessage): SlackMessage[] {
    return this.messages.filter(
      ({ channel, threadTs }) => channel === parent.channel && threadTs === parent.ts,
    )
  }

  /** A person presses a button of a message, perhaps with a note in its field. */
  press(message: SlackMessage, action: string, user: string, note?: string): Promise<Response> {
    const payload = {
      type: 'block_actions',
      user: { id: user },
      channel: { id: message.channel },
      message: { ts: message.ts },
      actions: [{ type: 'button', action_id: action, block_id: 'actions' }],
      state: {
        values: note === undefined ? {} : { note: { note: { type: 'plain_text_input', value: note } } },
      },
    }
    return this.send(new URLSearchParams({ payload: JSON.stringify(payload) }))
  }

  /** A person types a slash command. */
  command(text: string, user: string, channel: string): Promise<Response> {
    const name = this.users.get(user)?.name ?? user
    return this.send(
      new URLSearchParams({
        ...{ command: '/signalbox', text, user_id: user, user_name: name, channel_id: channel },
        response_url: 'https://hooks.slack.example/commands/1',
      }),
    )
  }

  /** A person writes in a channel, or in a thread there; the app is told about it. */
  async say(
    text: string,
    user: string,
    { channel, thread = null }: { channel: string; thread?: string | null },
  ): Promise<SlackMessage> {
    const ts = this.nextTs()
    const message = { channel, ts, threadTs: thread, text, blocks: [], key: null, user }
    this.messages.push(message)
    await this.sendEvent(this.eventOf(message))
    return message
  }

  eventOf({ channel, ts, threadTs, text, user }: SlackMessage): object {
    const thread = threadTs ? { thread_ts: threadTs } : {}
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const event = { type: 'message', channel, user, text: escaped, ts, ...thread, channel_type: 'channel' }
    return { type: 'event_callback', event_id: `Ev${ts.replace('.', '')}`, event }
  }

  /** Over the socket where there is one. */
  async sendEvent(payload: object): Promise<void> {
    if (this.#socket) await this.overSocket('events_api', payload)
    else await this.send(JSON.stringify(payload))
  }

  /** Sends a body signed by Slack, or by someone else. */
  async send(
    body: URLSearchParams | string,
    forged: { secret?: string; at?: Date; type?: string } = {},
  ): Promise<Response> {
    const text = body.toString()
    const at = Math.floor((forged.at ?? this.#clock()).getTime() / 1000)
    const secret = forged.secret ?? this.signingSecret
    const type = typeof body === 'string' ? 'application/json' : 'application/x-www-form-urlencoded'
    const response = await fetch(this.requestUrl, {
      method: 'POST',
      headers: {
        'content-type': forged.type ?? type,
        'x-slack-request-timestamp': `${at}`,
        'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${text}`).digest('hex')}`,
      },
      body: text,
    })
    // Read to the end, so that closing does not wait for a connection that is still in use.
    return new Response(await response.text(), { status: response.status })
  }

  get hasSocket(): boolean {
    return this.#socket !== undefined
  }

  /** Sends something over the socket; resolves when it is confirmed, with what was answered. */
  overSocket(type: 'interactive' | 'slash_commands' | 'events_api', payload: unknown): Promise<unknown> {
    this.#envelopes += 1
    const id = `envelope-${this.#envelopes}`
    const answered = new Promise((resolve) => this.#answers.set(id, resolve))
    this.#write({ envelope_id: id, type, payload, accepts_response_payload: type === 'slash_commands' })
    return answered
  }

  /** From now on nothing comes over the socket and nothing is answered, as when the network in between is gone. */
  muteSocket(): void {
    this.#isMute = true
  }

  /** As Slack does every few seconds. */
  pingSocket(): void {
    if (!this.#isMute) this.#socket?.write(frameOf(9, Buffer.from('Ping from Slack')))
  }

  /** As Slack does every few hours. */
  refreshSocket(): void {
    this.#write({ type: 'disconnect', reason: 'refresh_requested' })
  }

  #accept(request: IncomingMessage, socket: Socket): void {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    this.#socket = socket
    this.#isMute = false
    const gone = () => {
      if (this.#socket === socket) this.#socket = undefined
    }
    let bytes = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let read = frameIn(bytes); read; read = frameIn(bytes)) {
        bytes = bytes.subarray(read.length)
        if (this.#isMute && this.#socket === socket) continue
        if (read.opcode === 9) this.signs.pings += 1
        if (read.opcode === 10) this.signs.pongs += 1
        if (read.opcode === 8) {
          gone()
          socket.end(frameOf(8, read.body))
        } else if (read.opcode === 9) socket.write(frameOf(10, read.body))
        else if (read.opcode === 1) {
          const { envelope_id: id, payload } = JSON.parse(read.body.toString('utf8'))
          this.#answers.get(id)?.(payload ?? null)
        }
      }
    })
    socket
      .on('close', gone)
      .on('error', gone)
      .on('end', () => socket.destroy())
    this.#write({ type: 'hello', num_connections: 1, connection_info: { app_id: 'ADOUBLE' } })
  }

  #write(message: object): void {
    this.#socket!.write(frameOf(1, Buffer.from(JSON.stringify(message))))
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    if (!request.url!.startsWith('/api/')) return this.serve(request, response, body)
    const { pathname, searchParams } = new URL(request.url!, 'http://double')
    const method = pathname.replace(/^\/api\//, '')
    this.calls.push(method)
    const isJson = (request.headers['content-type'] ?? '').startsWith('application/json')
    // What only reads takes no JSON: Slack acts as if nothing had been given.
    const isRead = isJson && methods[method]?.isRead
    const given = { ...fieldsOf(searchParams), ...(isRead ? {} : givenIn(isJson, body)) }
    const fault = this.#faults.shift() ?? this.#tooFast(method, given.channel)
    if (!fault && /^chat\.(postMessage|update)$/.test(method))
      this.writes.push({ method, channel: given.channel, atMs: this.#clock().getTime() })
    const answer = fault && !fault.afterwards ? null : this.#answer(method, request, given)
    if (fault) {
      response.writeHead(fault.status, fault.headers ?? {})
      response.end(fault.body ?? '')
      return
    }
    if (answer!.ok) this.#played.add(method)
    this.answered(method, given, answer!)
    const isKnown = !['invalid_auth', 'not_authed'].includes(`${answer!.error}`)
    const scopes = isKnown ? { 'x-oauth-scopes': this.scopes.join(',') } : {}
    response.writeHead(200, { 'content-type': 'application/json', ...scopes })
    response.end(JSON.stringify(answer))
  }

  /** What else a browser asks for; a page is put here. */
  serve(_request: IncomingMessage, response: ServerResponse, _body: string): void {
    response.writeHead(404).end()
  }

  #tooFast(method: string, channel: string): Fault | undefined {
    if (!this.isStrict || method !== 'chat.postMessage') return
    const last = this.writes.findLast((write) => write.method === method && write.channel === channel)
    if (!last || this.#clock().getTime() - last.atMs >= 1_000) return
    return { status: 429, headers: { 'retry-after': '1' }, body: '{"ok":false,"error":"ratelimited"}' }
  }

  // biome-ignore lint/suspicious/noExplicitAny: what comes is looked at field by field
  #answer(method: string, request: IncomingMessage, given: any): Answer {
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    if (token !== (method === 'apps.connections.open' ? this.appToken : this.botToken))
      return { ok: false, error: token ? 'invalid_auth' : 'not_authed' }
    if (this.#isRevoked && method !== 'apps.connections.open') return { ok: false, error: 'token_revoked' }
    const known = methods[method]
    if (!known) return { ok: false, error: 'unknown_method' }
    const { scope, act } = known
    if (scope && !this.scopes.includes(scope))
      return { ok: false, error: 'missing_scope', needed: scope, provided: this.scopes.join(',') }
    const absent = known.needs.filter((name) => given[name] === undefined || given[name] === '')
    if (absent.length > 0) {
      const messages = absent.map((name) => `[ERROR] missing required field: ${name}`)
      return { ok: false, error: 'invalid_arguments', response_metadata: { messages } }
    }
    if (given.channel !== undefined) {
      const channel = this.channels.get(given.channel)
      if (!channel) return { ok: false, error: 'channel_not_found' }
      if (channel.isArchived && method !== 'conversations.info') return { ok: false, error: 'is_archived' }
      if (!channel.isMember && method !== 'conversations.info') return { ok: false, error: 'not_in_channel' }
    }
    return act(this, given)
  }

  nextTs(): string {
    this.#count += 1
    return `${Math.floor(this.#clock().getTime() / 1000)}.${String(this.#count).padStart(6, '0')}`
  }
}

/** JSON, or a form: what writes takes both. */
// biome-ignore lint/suspicious/noExplicitAny: what comes is looked at field by field
function givenIn(isJson: boolean, body: string): any {
  if (body === '') return {}
  return isJson ? JSON.parse(body) : fieldsOf(new URLSearchParams(body))
}

/** In a form, what is not text is written as JSON. */
function fieldsOf(form: URLSearchParams): Record<string, unknown> {
  const parsed = (name: string, value: string) =>
    ['blocks', 'metadata'].includes(name) || /^(?:true|false)$/.test(value) ? JSON.parse(value) : value
  return Object.fromEntries([...form].map(([name, value]) => [name, parsed(name, value)]))
}

// biome-ignore lint/suspicious/noExplicitAny: what comes is looked at field by field
type Act = (slack: SlackDouble, given: any) => Answer

interface Method {
  scope: string | null
  /** Without these nothing is done. */
  needs: string[]
  isRead?: boolean
  act: Act
}

const methods: Record<string, Method> = {
  'auth.test': {
    ...{ scope: null, needs: [] },
    act: ({ team, url }) => ({
      ...{ ok: true, url: new URL('/', url).href, team, user: 'signalbox' },
      ...{ team_id: 'TDOUBLE', user_id: 'UBOT', bot_id: 'BBOT', is_enterprise_install: false },
    }),
  },
  'apps.connections.open': {
    ...{ scope: null, needs: [] },
    act: (slack) => ({ ok: true, url: `${slack.url.replace('http:', 'ws:')}/socket` }),
  },
  'chat.postMessage': {
    ...{ scope: 'chat:write', needs: ['channel'] },
    act: (slack, { channel, text, blocks, thread_ts: threadTs, metadata, ...given }) => {
      if (!text && !blocks) return { ok: false, error: 'no_text' }
      const wrong = complaintAbout(blocks)
      if (wrong) return { ok: false, error: 'invalid_blocks', response_metadata: { messages: [wrong] } }
      const ts = slack.nextTs()
      const key = metadata?.event_payload?.key ?? null
      // Media are shown unless it is said otherwise.
      const unfurls = given.unfurl_links !== false || given.unfurl_media !== false
      slack.messages.push({
        ...{ channel, ts, threadTs: threadTs ?? null, text, blocks: blocks ?? [], key, user: null, unfurls },
      })
      return { ok: true, channel, ts, message: { type: 'message', text, ts, bot_id: 'BBOT' } }
    },
  },
  'chat.update': {
    ...{ scope: 'chat:write', needs: ['channel', 'ts'] },
    act: (slack, { channel, ts, text, blocks }) => {
      const found = slack.messages.find((message) => message.channel === channel && message.ts === ts)
      if (!found) return { ok: false, error: 'message_not_found' }
      const wrong = complaintAbout(blocks)
      if (wrong) return { ok: false, error: 'invalid_blocks', response_metadata: { messages: [wrong] } }
      Object.assign(found, { text, blocks: blocks ?? [] })
      return { ok: true, channel, ts, text }
    },
  },
  'chat.postEphemeral': {
    ...{ scope: 'chat:write', needs: ['channel', 'user'] },
    act: (slack, { channel, user, text }) => {
      const ts = slack.nextTs()
      slack.ephemeralMessages.push({ channel, user, text, ts })
      return { ok: true, message_ts: ts }
    },
  },
  /** The place of one person. */
  'conversations.open': {
    ...{ scope: 'im:write', needs: ['users'] },
    act: (slack, { users }) => {
      if (!slack.users.has(users)) return { ok: false, error: 'user_not_found' }
      const id = `D${users}`
      slack.addChannel(id, users)
      return { ok: true, channel: { id } }
    },
  },
  'conversations.info': {
    ...{ scope: 'channels:read', needs: ['channel'], isRead: true },
    act: (slack, { channel }) => {
      const { name, isMember, isArchived } = slack.channels.get(channel)!
      return { ok: true, channel: { id: channel, name, is_member: isMember, is_archived: isArchived } }
    },
  },
  /** The newest first. */
  'conversations.history': {
    ...{ scope: 'channels:history', needs: ['channel'], isRead: true },
    act: (slack, given) => pageOf(slack.messages.filter(isIn(given.channel, null)).toReversed(), given),
  },
  /** The message that began the thread, then the replies, the oldest first. */
  'conversations.replies': {
    ...{ scope: 'channels:history', needs: ['channel', 'ts'], isRead: true },
    act: (slack, given) => {
      const parent = slack.messages.find(
        (message) => isIn(given.channel, null)(message) && message.ts === given.ts,
      )
      if (!parent) return { ok: false, error: 'thread_not_found' }
      return pageOf([parent, ...slack.messages.filter(isIn(given.channel, given.ts))], given)
    },
  },
  'users.info': {
    ...{ scope: 'users:read', needs: ['user'], isRead: true },
    act: (slack, { user }) => {
      const known = slack.users.get(user)
      if (!known) return { ok: false, error: 'user_not_found' }
      const { id, name, email, isConfirmed = true } = known
      const profile = { real_name: name, ...(slack.scopes.includes('users:read.email') ? { email } : {}) }
      return {
        ok: true,
        user: { id, name, is_bot: false, is_email_confirmed: isConfirmed, profile },
      }
    },
  },
}

const isIn =
  (channel: string, threadTs: string | null) =>
  (message: SlackMessage): boolean =>
    message.channel === channel && message.threadTs === threadTs

function pageOf(
  all: SlackMessage[],
  given: { limit?: string; cursor?: string; include_all_metadata?: boolean },
): Answer {
  const start = Number(given.cursor || 0)
  const end = start + Number(given.limit ?? 100)
  const isMore = end < all.length
  const messages = all.slice(start, end).map(({ ts, threadTs, text, key, user }) => ({
    ...{ type: 'message', ts, text, ...(threadTs ? { thread_ts: threadTs } : {}) },
    ...(user ? { user } : { bot_id: 'BBOT' }),
    ...(key && given.include_all_metadata
      ? { metadata: { event_type: 'signalbox', event_payload: { key } } }
      : {}),
  }))
  return {
    ...{ ok: true, messages, has_more: isMore },
    ...(isMore ? { response_metadata: { next_cursor: `${end}` } } : {}),
  }
}

/** Slack refuses a whole message for one block that is too long. */
function complaintAbout(blocks: SlackBlock[] | undefined): string | null {
  if (!blocks) return null
  if (blocks.length > 50) return 'no more than 50 items allowed [json-pointer:/blocks]'
  const ids = blocks.map(({ block_id: id }) => id).filter(Boolean)
  if (new Set(ids).size !== ids.length) return 'block_id already exists'
  for (const block of blocks) {
    const most = block.type === 'header' ? 150 : 3_000
    const text = block.text?.text
    if (block.text && (typeof text !== 'string' || text.length === 0 || text.length > most))
      return `text must be 1 to ${most} characters`
    if (block.type === 'actions') {
      if (block.elements.length > 25) return 'no more than 25 items allowed'
      const actions = block.elements.map(({ action_id: id }: SlackBlock) => id)
      if (new Set(actions).size !== actions.length) return 'action_id already exists'
      for (const { text: label, action_id: id, url = '' } of block.elements)
        if (label.text.length > 75 || id.length > 255 || url.length > 3_000) return 'a button is too long'
    }
  }
  return null
}

/** One frame of a client, which are masked; undefined: it has not arrived whole. */
function frameIn(bytes: Buffer): { opcode: number; body: Buffer; length: number } | undefined {
  if (bytes.length < 6) return
  const short = bytes[1]! & 127
  const start = short === 126 ? 4 : 2
  if (bytes.length < start + 4) return
  const size = short === 126 ? bytes.readUInt16BE(2) : short
  const length = start + 4 + size
  if (bytes.length < length) return
  const mask = bytes.subarray(start, start + 4)
  const body = Buffer.from(bytes.subarray(start + 4, length)).map((byte, n) => byte ^ mask[n % 4]!)
  return { opcode: bytes[0]! & 15, body: Buffer.from(body), length }
}

function frameOf(opcode: number, body: Buffer): Buffer {
  const [first, { length }] = [0x80 | opcode, body]
  const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), body])
}
