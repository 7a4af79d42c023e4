import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createLog } from '../log.ts'
import { createHttpServer, originOf } from './server.ts'

test('a request whose headers do not arrive is given up when its time is over, not at the next half minute', async () => {
  const app = createHttpServer({
    log: createLog({ level: 'silent' }),
    tls: null,
    trustProxy: [],
    onBrokenRequest: (error, socket) => socket.end(String(error.code)),
    onBrokenPath: () => {},
    onConnect: () => {},
  })
  assert.equal(app.server.headersTimeout, 10_000)
  // The same clockwork with less to wait for.
  app.server.headersTimeout = 100
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { hostname, port } = new URL(originOf(app))
  const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n'))
  const began = performance.now()
  const [said] = await once(socket, 'data')
  assert.equal(String(said), 'ERR_HTTP_REQUEST_TIMEOUT')
  // Half a second on an idle machine; a server that looks every half a minute takes most of one.
  assert.ok(performance.now() - began < 25_000)
  socket.destroy()
  await app.close()
})
