import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A host on this machine that remembers what it was asked. */
export async function httpHost(t: TestContext, respond: (asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { method: request.method!, url: request.url!, headers: request.headers, body }
    asked.push(one)
    respond(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, asked }
}
