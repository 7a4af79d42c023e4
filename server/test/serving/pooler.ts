import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import type { Connection } from '../../infra/db/embedded.ts'

/** Startup parameters that PgBouncer takes without being told to. */
const taken = ['user', 'database', 'client_encoding', 'application_name', 'datestyle', 'timezone']

/**
 * What a pooler does to sessions. Like PgBouncer it refuses startup parameters that it does not know. While it forgets,
 * it pools by transaction: what one transaction sets for its session, the next does not find.
 */
export class Pooler {
  forgets = false
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer()

  /** Returns how the database is reached through it. */
  async open({ host, port, ...connection }: Connection): Promise<Connection> {
    const target = host.startsWith('/') ? { path: path.join(host, `.s.PGSQL.${port}`) } : { host, port }
    this.#server.on('connection', (near) => this.#join(near, connect(target)))
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port: ours } = this.#server.address() as { port: number }
    return { ...connection, host: '127.0.0.1', port: ours }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(near: Socket, far: Socket): void {
    let hasBegun = false
    const gone = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      this.#sockets.add(socket)
      socket.on('error', gone).on('close', gone)
    }
    near.on('data', (bytes) => {
      const unknown = hasBegun ? undefined : namesIn(bytes).find((name) => !taken.includes(name))
      hasBegun = true
      if (unknown) near.end(refusal(`unsupported startup parameter: ${unknown}`))
      else far.write(this.forgets ? untilCommit(bytes) : bytes)
    })
    far.on('data', (bytes) => near.write(bytes))
  }
}

/** The parameters of a startup message: after length and version, names and values in turn. */
const namesIn = (startup: Buffer): string[] =>
  startup
    .subarray(8)
    .toString()
    .split('\0')
    .filter((name, index) => index % 2 === 0 && name !== '')
    .map((name) => name.toLowerCase())

/** A setting for the session becomes one for the transaction, in as many bytes. */
const untilCommit = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replace('pg_backend_pid() <> $3', 'pg_backend_pid() >= $3'), 'latin1')

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
