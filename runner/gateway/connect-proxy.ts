import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { socketFolder } from './socket-folder.ts'

/** Where set-up may get packages from, unless the operator says otherwise. */
export const usualRegistries = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'pypi.org',
  'files.pythonhosted.org',
  'proxy.golang.org',
  'sum.golang.org',
  'index.crates.io',
  'static.crates.io',
  'crates.io',
  'repo.maven.apache.org',
  'repo1.maven.org',
  'plugins.gradle.org',
  'services.gradle.org',
  'api.nuget.org',
  'rubygems.org',
  'index.rubygems.org',
]

export interface ConnectProxy {
  /** Unix socket to be bound into the box. */
  readonly socket: string
  /** Hosts that were asked for and refused. */
  readonly refused: string[]
  close(): Promise<void>
}

/**
 * A way out of the box to a list of hosts and nowhere else: a proxy for CONNECT. What goes through is between the
 * program and the host; we see neither what it says nor what it costs.
 */
export async function openConnectProxy(options: {
  /** `host`, whichever the port, or `host:port`. */
  allow: readonly string[]
  folder: string
  connect?: (port: number, host: string) => net.Socket
}): Promise<ConnectProxy> {
  const { connect = net.connect } = options
  const folder = await socketFolder(options.folder, 'p-')
  const socket = path.join(folder, 'proxy.sock')
  const refused = new Set<string>()
  const open = new Set<net.Socket>()
  const server = http.createServer((request, response) => {
    refused.add(request.headers.host ?? 'unknown')
    response.writeHead(403).end('Only https to a host on the list is allowed.\n')
  })
  server.on('connect', (request: http.IncomingMessage, from: net.Socket) => {
    const [host = '', port = '443'] = (request.url ?? '').split(':')
    from.on('error', () => from.destroy())
    if (!options.allow.includes(host) && !options.allow.includes(`${host}:${port}`)) {
      refused.add(host)
      from.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const to = connect(Number(port), host)
    to.once('connect', () => {
      from.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      from.pipe(to).pipe(from)
    })
    for (const each of [from, to]) {
      open.add(each)
      each.once('close', () => open.delete(each))
    }
    to.on('error', () => from.destroy())
    from.on('close', () => to.destroy())
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    get refused() {
      return [...refused]
    },
    async close() {
      server.close()
      server.closeAllConnections()
      for (const each of open) each.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
