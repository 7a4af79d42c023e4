import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { until } from '../../test/until.ts'
import { createLog } from '../log.ts'
import { createHttpServer, originOf, takeTime } from './server.ts'

const createServer = (): FastifyInstance =>
  createHttpServer({
    log: createLog({ level: 'silent' }),
    tls: null,
    trustProxy: [],
    onBrokenRequest: (error, socket) => socket.end(String(error.code)),
    onBrokenPath: () => {},
    onConnect: () => {},
  })

test('a request whose headers do not arrive is given up when its time is over, not at the next half minute', async () => {
  const app = createServer()
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

test('a request that may take its time arrives after the limit of the others, and the next on its connection may not', async () => {
  const app = createServer()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, body, done) => done(null, body))
  for (const isPatient of [true, false])
    app.post(isPatient ? '/slow' : '/usual', async ({ raw }, reply) => {
      if (isPatient) takeTime(raw, reply.raw, 60_000)
      let bytes = 0
      for await (const chunk of raw) bytes += chunk.length
      return `${bytes} bytes`
    })
  assert.equal(app.server.requestTimeout, 30_000)
  // The longer of the two is the one for all of it.
  Object.assign(app.server, { headersTimeout: 200, requestTimeout: 300 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { hostname, port } = new URL(originOf(app))
  const socket = connect(Number(port), hostname)
  const begin = (path: string) =>
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: 4\r\n\r\nab`)
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  const limitOver = once(app.server, 'clientError')
  begin('/slow')
  const [error] = await limitOver
  assert.equal(error.code, 'ERR_HTTP_REQUEST_TIMEOUT', 'Node has said that its time is over')
  assert.equal(said, '')
  socket.write('cd')
  await until('it is answered', () => said.endsWith('4 bytes'))
  begin('/usual')
  await until('the usual limit holds', () => said.endsWith('ERR_HTTP_REQUEST_TIMEOUT'))
  socket.destroy()
  await app.close()
})
