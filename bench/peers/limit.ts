import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What `node:http` can do at most here: each path answers with bytes that were made before, and nothing is asked. */
const bodies = new Map<string, Buffer>()
let input = ''
for await (const chunk of process.stdin) input += chunk
for (const [path, body] of Object.entries(JSON.parse(input) as Record<string, string>))
  bodies.set(path, Buffer.from(body))

const server = createServer((request, response) => {
  const body = bodies.get(request.url!)!
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
