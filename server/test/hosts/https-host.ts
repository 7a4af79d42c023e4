import type { RequestListener } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { snsFixture } from '../on-call/sns.ts'

/** A host of SNS, played on this machine: its `request` goes there, whatever host it is asked for. */
export async function httpsHost(t: TestContext, respond: RequestListener, { trusted = true } = {}) {
  const asked: string[] = []
  const server = createServer(
    { key: snsFixture('test-host.key'), cert: snsFixture('test-host.crt') },
    (incoming, response) => {
      asked.push(`${incoming.method} ${incoming.headers.host} ${incoming.url}`)
      respond(incoming, response)
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const lookup = (_: string, options: { all?: boolean }, found: (...result: unknown[]) => void) =>
    options.all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)
  const here = { port, lookup, ...(trusted ? { ca: snsFixture('test-host.crt') } : {}) }
  const redirected = (to: URL, options: object, receive: never) =>
    request(to, { ...options, ...here } as object, receive)
  return { request: redirected as typeof request, asked }
}

export const text =
  (body: string, status = 200, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body)
