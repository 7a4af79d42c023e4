import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { Metrics } from '../../infra/metrics.ts'

interface OperatorServices {
  metrics: Pick<Metrics['registry'], 'contentType' | 'metrics'>
  /** What keeps this server from taking requests; nothing when it is ready. */
  obstacles: () => Promise<string[]>
}

interface Place {
  host: string
  port: number
  /** What has to be shown; null on loopback, where those who can ask have the machine already. */
  token: string | null
}

interface Told {
  status: number
  headers?: Record<string, string>
  body: string
}

/** The operator's side: metrics, and why the server is not ready, on a port of their own. */
export async function operatorFace(
  { host, port, token }: Place,
  services: OperatorServices,
): Promise<{ stop(): Promise<void> }> {
  const isOperator = token === null ? () => true : bearerCheck(token)
  const server = createServer(async (request, response) => {
    const { status, headers, body } = await answer(request, services, isOperator(request)).catch(() => failed)
    response.writeHead(status, { 'x-content-type-options': 'nosniff', ...plain, ...headers }).end(body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) }
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
const json = { 'content-type': 'application/json; charset=utf-8' }
const failed: Told = { status: 500, body: 'The metrics could not be read.\n' }

/** Probes need no token, and without it hear no reason. */
async function answer(
  { url = '' }: IncomingMessage,
  { metrics, obstacles }: OperatorServices,
  isOperator: boolean,
): Promise<Told> {
  const [path] = url.split('?', 1)
  if (path === '/healthz') return { status: 200, headers: json, body: '{"status":"ok"}\n' }
  if (path === '/readyz') return readiness(await obstacles(), isOperator)
  if (!isOperator)
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: 'Send OPERATOR_TOKEN as a bearer token.\n',
    }
  if (path === '/metrics')
    return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.metrics() }
  return { status: 404, body: 'This port only serves /metrics, /healthz and /readyz.\n' }
}

function readiness(reasons: string[], isOperator: boolean): Told {
  if (reasons.length === 0) return { status: 200, headers: json, body: '{"status":"ready"}\n' }
  const told = isOperator ? { status: 'not ready', reasons } : { status: 'not ready' }
  return { status: 503, headers: json, body: `${JSON.stringify(told)}\n` }
}

/** Hashes are compared, so that the time it takes says nothing of the token or its length. */
function bearerCheck(token: string): (request: IncomingMessage) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const right = digest(`bearer ${token}`)
  return ({ headers: { authorization = '' } }) => {
    const [scheme = '', ...rest] = authorization.split(' ')
    return timingSafeEqual(digest(`${scheme.toLowerCase()} ${rest.join(' ').trim()}`), right)
  }
}
