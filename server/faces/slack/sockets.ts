import type { Chat, ChatSocket } from '../../domain/ports/chat.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import { clearRefusalsOfScope } from '../../domain/tools/connections/clear-refusal.ts'
import { openConnection } from '../../domain/tools/connections/open.ts'
import { recordRefusal } from '../../domain/tools/connections/record-refusal.ts'
import { socketConnections } from '../../domain/tools/connections/with-sockets.ts'
import type { Logger } from '../../infra/log.ts'
import { type HandlingServices, handle } from './handle.ts'
import { commandIn, eventIn, interactionIn, type SlackPayload } from './payload.ts'
import type { SlackServices } from './slack.ts'

interface Options extends HandlingServices, Pick<SlackServices, 'secrets'> {
  chat: Pick<Chat, 'openSocket'>
  log: Logger
  /** For tests. */
  lookMs?: number
  longestPauseMs?: number
}

/** Slack pings, and answers our pings; who does neither for so long is not there. */
const silentMs = 30_000
const watchMs = 5_000

/**
 * Socket Mode, for servers that Slack cannot reach: we call it, and clicks and commands come back over the socket. Each
 * node has one for each connection; Slack gives every click to one of them.
 */
export class SlackSockets {
  readonly #options: Options
  readonly #open = new Map<string, SlackSocket>()
  #timers: NodeJS.Timeout[] = []

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    if (this.#timers.length > 0) return
    this.#timers = [
      setInterval(() => void this.look(), this.#options.lookMs ?? 15_000),
      setInterval(() => this.watch(), watchMs),
    ]
    void this.look()
  }

  /** Asks every socket for a sign of life, and replaces those that have given none for too long. */
  watch(): void {
    for (const socket of this.#open.values()) socket.watch()
  }

  /** Opens missing sockets and closes those that are no longer wanted. */
  async look(): Promise<void> {
    try {
      const wanted = new Map(
        (await socketConnections(this.#options.db)).map((row) => [`${row.id} ${row.version}`, row]),
      )
      for (const [name, socket] of this.#open)
        if (!wanted.has(name)) {
          socket.close()
          this.#open.delete(name)
        }
      for (const [name, { id, workspaceId }] of wanted)
        if (!this.#open.has(name)) {
          const connection = () => openConnection(this.#options, workspaceId, id)
          const socket = new SlackSocket(this.#options, connection)
          this.#open.set(name, socket)
          void socket.run()
        }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the connections that have a socket could not be read')
    }
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
    for (const socket of this.#open.values()) socket.close()
    this.#open.clear()
  }
}

class SlackSocket {
  readonly #options: Options
  readonly #connection: () => Promise<Connection>
  #socket: ChatSocket | undefined
  #heardAt = 0
  #wake = () => {}
  #closed = false

  constructor(options: Options, connection: () => Promise<Connection>) {
    this.#options = options
    this.#connection = connection
  }

  /** Until it is closed: Slack ends every socket after some hours, and the next one is opened at once. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      try {
        const connection = await this.#connection()
        // Slack calls this server itself, at its address.
        if (!connection.credentials.appToken) return
        const socket = await this.#options.chat.openSocket(connection)
        if (this.#closed) return socket.drop()
        const heard = await this.#listen(connection, socket)
        failures = heard ? 0 : failures + 1
      } catch (error) {
        failures += 1
        this.#options.log.warn({ err: error }, 'a socket to Slack could not be opened')
        if (error instanceof ToolRefused) await this.#record(error)
      }
      if (failures > 0 && !this.#closed) await this.#pause(failures)
    }
  }

  close(): void {
    this.#closed = true
    this.#socket?.socket.close()
    this.#wake()
  }

  /** A connection can die silently: after so long without a message it is replaced. */
  watch(): void {
    if (this.#now() - this.#heardAt <= silentMs) this.#socket?.ping()
    else if (this.#socket) {
      this.#options.log.warn('a socket to Slack was silent for too long; another one is opened')
      this.#socket.drop()
    }
  }

  /** Returns when the socket is over: whether Slack said hello. */
  #listen(connection: Connection, opened: ChatSocket): Promise<boolean> {
    const { socket } = opened
    return new Promise((resolve) => {
      let heard = false
      this.#socket = opened
      this.#heardAt = this.#now()
      const sign = () => {
        this.#heardAt = this.#now()
      }
      socket.addEventListener('sign', sign)
      socket.onmessage = ({ data }) => {
        sign()
        if (!heard) void this.#mended(connection)
        heard = true
        void this.#handleMessage(socket, connection, String(data))
      }
      socket.onclose = () => {
        this.#socket = undefined
        resolve(heard)
      }
      socket.onerror = () => opened.drop()
    })
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }

  /** Without its socket no clicks arrive: that is recorded like any other refusal by Slack. */
  async #record(error: ToolRefused): Promise<void> {
    const { id: connectionId, workspaceId } = await this.#connection()
    const scope = error.extent === 'account' ? '' : 'socket'
    await recordRefusal({ ...this.#options, workspaceId }, { connectionId, scope }, error).catch((err) =>
      this.#options.log.warn({ err }, 'could not record that Slack refused a socket'),
    )
  }

  async #mended({ id, workspaceId }: Connection): Promise<void> {
    await clearRefusalsOfScope(
      { ...this.#options, workspaceId },
      { connectionId: id },
      { scope: 'socket' },
    ).catch((err) => this.#options.log.warn({ err }, 'could not record that Slack accepts a socket again'))
  }

  async #handleMessage(socket: WebSocket, connection: Connection, data: string): Promise<void> {
    try {
      const envelope = JSON.parse(data) as { type?: string; envelope_id?: string; payload?: unknown }
      if (envelope.type === 'disconnect') return socket.close()
      if (!envelope.envelope_id) return
      const answer = await handle(this.#options, connection, payloadOf(envelope), envelope.envelope_id)
      // Slack sends again what is not confirmed: what failed here is tried by another node or a second later.
      socket.send(
        JSON.stringify({ envelope_id: envelope.envelope_id, ...(answer ? { payload: answer } : {}) }),
      )
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a message from Slack could not be handled')
    }
  }

  #pause(failures: number): Promise<void> {
    const most = this.#options.longestPauseMs ?? 60_000
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(1_000 * 2 ** Math.min(failures - 1, 10), most))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function payloadOf({ type, payload }: { type?: string; payload?: unknown }): SlackPayload {
  if (type === 'interactive') return interactionIn(payload)
  if (type === 'slash_commands') return commandIn((payload ?? {}) as Record<string, unknown>)
  if (type === 'events_api') return eventIn(payload)
  return { type: 'other' }
}
