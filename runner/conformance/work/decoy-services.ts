import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'

/** Services of the machine that were not given to a run. They note who comes, and what is said. */
export class DecoyServices {
  /** What was said by each that came; empty where it said nothing. */
  readonly heard: string[] = []
  readonly #servers: net.Server[] = []
  readonly #datagrams: dgram.Socket[] = []
  port = 0
  port6 = 0
  udpPort = 0
  /** An address of the machine's apart from its loopback; null where it has none. */
  outside: { address: string; port: number } | null = null
  readonly socket: string
  /** As an SSH agent would have it. */
  readonly agentSocket: string
  readonly abstractSocket: string

  constructor(folder: string, nonce: string) {
    this.socket = path.join(folder, 'other.sock')
    this.agentSocket = path.join(folder, 'agent.sock')
    this.abstractSocket = `signalbox-kit-${nonce}`
  }

  async open(): Promise<void> {
    this.port = await this.#listen({ port: 0, host: '127.0.0.1' })
    this.port6 = await this.#listen({ port: 0, host: '::1' }).catch(() => 0)
    await this.#listen({ path: this.socket })
    await this.#listen({ path: this.agentSocket })
    await this.#listen({ path: `\0${this.abstractSocket}` }).catch(() => 0)
    const address = Object.values(networkInterfaces())
      .flat()
      .find((found) => found && !found.internal && found.family === 'IPv4')?.address
    if (address)
      this.outside = await this.#listen({ port: 0, host: address }).then(
        (port) => ({ address, port }),
        () => null,
      )
    const datagrams = dgram.createSocket('udp4')
    datagrams.on('message', (text) => this.heard.push(`${text}`))
    datagrams.bind(0, '127.0.0.1')
    await once(datagrams, 'listening')
    this.#datagrams.push(datagrams)
    this.udpPort = datagrams.address().port
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const socket of this.#datagrams) socket.close()
  }

  async #listen(where: net.ListenOptions): Promise<number> {
    const server = net.createServer((socket) => {
      let said = ''
      socket.on('data', (text) => {
        said += text
      })
      socket.on('error', () => {})
      socket.on('close', () => this.heard.push(said))
      socket.write('reached\n')
      setTimeout(() => socket.destroy(), 2_000).unref()
    })
    server.listen(where)
    await once(server, 'listening')
    this.#servers.push(server)
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }
}
