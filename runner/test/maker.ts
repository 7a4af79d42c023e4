import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { type ConnectProxy, openConnectProxy } from '../gateway/connect-proxy.ts'
import type { Model } from './model/model.ts'

/** Null: a certificate can be made here. */
export function whyNoMaker(): string | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return null
  } catch {
    return 'openssl is not there to make a certificate'
  }
}

/** The makers' own hosts, as an agent with an account of theirs finds them, in front of the scripted model. */
export interface Maker extends AsyncDisposable {
  connectProxy: ConnectProxy
  /** To be believed by the agent. */
  certificate: string
  /** What was asked for through the proxy, and what was called there. */
  hosts: Set<string>
  calls: string[]
  authorizations: Set<string>
}

export async function startMaker(model: Model, folder: string, hosts: readonly string[]): Promise<Maker> {
  const seen = { hosts: new Set<string>(), calls: [] as string[], authorizations: new Set<string>() }
  const { key, cert, ca } = certificateFor(folder, hosts)
  const server = https.createServer({ key, cert }, (request, response) => {
    seen.calls.push(`${request.method} ${request.headers.host}${request.url}`)
    if (request.headers.authorization) seen.authorizations.add(request.headers.authorization)
    answer(model, request, response).catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connectProxy = await openConnectProxy({
    allow: hosts,
    folder,
    connect: (at, host) => {
      seen.hosts.add(`${host}:${at}`)
      return net.connect(port, '127.0.0.1')
    },
  })
  return {
    ...{ ...seen, connectProxy, certificate: ca },
    async [Symbol.asyncDispose]() {
      await connectProxy.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An authority that only the test's agent believes, and what it says of the hosts. */
function certificateFor(folder: string, hosts: readonly string[]) {
  const file = (name: string) => path.join(folder, name)
  const make = (name: string, subject: string, ...more: string[]) =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
        ...['-subj', `/CN=${subject}`, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), ...more],
      ],
      { stdio: 'ignore' },
    )
  make('authority', 'Authority of a test')
  const names = hosts.map((host) => `DNS:${host.split(':')[0]}`).join(',')
  make(
    ...(['maker', 'maker', '-CA', file('authority.pem'), '-CAkey', file('authority.key')] as const),
    ...['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE'],
  )
  const read = (name: string) => readFileSync(file(name), 'utf8')
  return { key: read('maker.key'), cert: read('maker.pem'), ca: read('authority.pem') }
}

/** What they answer about an account. */
const accounts: [ends: string, answer: object][] = [
  [
    '/wham/accounts/check',
    {
      accounts: [
        { id: 'account-1', workspace_backend_origin: 'https://chatgpt.com', account_routing_override: 'us' },
      ],
      account_ordering: ['account-1'],
    },
  ],
  ['/tokeninfo', { expires_in: 3600, scope: 'cloud-platform' }],
  ['/userinfo', { email: 'operator@example.com' }],
  [
    ':loadCodeAssist',
    { currentTier: { id: 'standard-tier', name: 'Standard' }, cloudaicompanionProject: 'p-1' },
  ],
]

async function answer(model: Model, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url!, 'https://maker')
  const known = accounts.find(([ends]) => pathname.endsWith(ends))
  if (known) return tell(response, known[1])
  if (pathname.endsWith(':streamGenerateContent')) {
    const asked = (await json(request)) as { model: string; request: object }
    const told = await ask(
      model,
      `/v1beta/models/${asked.model}:streamGenerateContent?alt=sse`,
      request,
      asked.request,
    )
    const lines = (await told.text()).split('\n')
    response.writeHead(told.status, { 'content-type': 'text/event-stream' })
    response.end(
      lines
        .map((line) => (line.startsWith('data:') ? `data: {"response":${line.slice(5)}}` : line))
        .join('\n'),
    )
    return
  }
  // Codex asks for a WebSocket first, and takes no for an answer.
  if (request.headers.upgrade) return void response.writeHead(426).end()
  const way = pathname === '/backend-api/codex/responses' ? '/v1/responses' : pathname
  if (request.method !== 'POST' || !/^\/v1\/(responses|messages)/.test(way)) {
    await buffer(request)
    return tell(response, {})
  }
  const told = await ask(model, way + search, request, await bodyOf(request))
  response.writeHead(told.status, { 'content-type': told.headers.get('content-type') ?? 'application/json' })
  response.end(Buffer.from(await told.arrayBuffer()))
}

/** Codex packs what it sends to an account. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(request)
  const packed = request.headers['content-encoding'] === 'zstd'
  return JSON.parse((packed ? zstdDecompressSync(bytes) : bytes).toString('utf8'))
}

const ask = ({ url }: Model, way: string, { headers }: IncomingMessage, body: unknown) =>
  fetch(`${url}${way}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(typeof headers['anthropic-version'] === 'string'
        ? { 'anthropic-version': headers['anthropic-version'] }
        : {}),
    },
    body: JSON.stringify(body),
  })

function tell(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
