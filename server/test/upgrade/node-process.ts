import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { until } from '../until.ts'

/** A server as an operator starts it, from the sources of any release. */
export class NodeProcess {
  readonly name: string
  readonly url: string
  readonly #child: ChildProcess
  /** It was told to stop: a connection to it may break off. */
  isStopping = false
  printed = ''

  constructor(name: string, url: string, child: ChildProcess) {
    this.name = name
    this.url = url
    this.#child = child
    for (const pipe of [child.stdout!, child.stderr!])
      pipe.on('data', (chunk) => {
        this.printed += chunk
      })
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** What it has logged as an error, or worse. */
  errors(): string[] {
    return this.printed.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  async stop(): Promise<void> {
    this.isStopping = true
    if (this.hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** Returns when it takes requests. */
export async function startNode(
  name: string,
  folder: string,
  env: Record<string, string>,
): Promise<NodeProcess> {
  const port = Number(env.PORT ?? (await freePort()))
  const args = ['--import', './server/compile-cache.js', 'server/main.ts', 'serve']
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, OPERATOR_PORT: 'off', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const node = new NodeProcess(name, `http://127.0.0.1:${port}`, child)
  await until(`${name} is ready`, async () => {
    if (node.hasEnded) throw new Error(`${name} has ended: ${node.printed}`)
    return node.isReady()
  })
  return node
}

/** As a load balancer in front of them, for what knows one address only. */
export async function balance(nodes: readonly NodeProcess[]): Promise<{ url: string; close(): void }> {
  let turn = 0
  const open = new Set<Socket>()
  const server = createServer((client) => {
    turn += 1
    const ready = nodes.filter(({ isStopping }) => !isStopping)
    const node = connect(Number(new URL(ready[turn % ready.length]!.url).port), '127.0.0.1')
    for (const [one, other] of [
      [client, node],
      [node, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => open.delete(one) && other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

export const checkout = path.join(import.meta.dirname, '..', '..', '..')

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
