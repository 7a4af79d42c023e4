import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import type { Connection } from '../infra/db/embedded.ts'

/** A network between a server and its database that can lose packets: nothing arrives, and nothing is closed. */
export class SilentNetwork {
  /** How many connections were made through it, and whether anything was lost in it. */
  connections = 0
  hasLost = false
  readonly #pairs = new Set<[Socket, Socket]>()
  #isSilent = false
  #server = createServer()

  /** Returns how the database is reached through it. */
  async open(connection: Connection): Promise<Connection> {
    const { host, port } = connection
    const target = host.startsWith('/') ? { path: path.join(host, `.s.PGSQL.${port}`) } : { host, port }
    this.#server.on('connection', (near) => {
      this.connections += 1
      const far = connect(target)
      const pair: [Socket, Socket] = [near, far]
      this.#pairs.add(pair)
      const gone = () => {
        near.destroy()
        far.destroy()
        this.#pairs.delete(pair)
      }
      for (const socket of pair) socket.on('error', gone).on('close', gone)
      if (this.#isSilent) return
      near.pipe(far)
      far.pipe(near)
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port: ours } = this.#server.address() as { port: number }
    return { ...connection, host: '127.0.0.1', port: ours }
  }

  /** What is connected now hears nothing more. New connections hear nothing either, while all is silent. */
  loseConnections(all: { silent: boolean }): void {
    this.#isSilent = all.silent
    for (const [near, far] of this.#pairs) {
      near.unpipe(far)
      far.unpipe(near)
      // Read and thrown away, as a network does.
      near.once('data', () => {
        this.hasLost = true
      })
      near.resume()
      far.resume()
    }
  }

  mend(): void {
    this.#isSilent = false
  }

  async close(): Promise<void> {
    for (const sockets of this.#pairs) for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
