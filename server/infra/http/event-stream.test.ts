import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { until } from '../../test/until.ts'
import { type EventStream, openEventStream } from './event-stream.ts'

/** A server of streams, and clients that ask for one and read it or not. */
async function streaming(most = 3) {
  const app = Fastify()
  const opened: EventStream[] = []
  app.get('/:holder', (request, reply) => {
    const { holder } = request.params as { holder: string }
    opened.push(openEventStream(request, reply, { holder: { id: holder, most } }))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    opened,
    async client(holder: string, { reads }: { reads: boolean }) {
      const before = opened.length
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.on('error', () => {})
      if (reads) socket.resume()
      else socket.pause()
      socket.write(`GET /${holder} HTTP/1.1\r\nHost: here\r\n\r\n`)
      await until('the stream is open', () => opened.length > before)
      return { socket, stream: opened[before]! }
    },
  }
}

test('a client that does not read loses its stream before it fills the memory', async () => {
  const { app, client } = await streaming()
  const { socket, stream } = await client('ana', { reads: false })
  const data = 'x'.repeat(100_000)
  for (let n = 0; n < 500 && !stream.closed; n += 1) {
    stream.send({ event: 'changed', data })
    await new Promise(setImmediate)
  }
  assert.equal(stream.closed, true)
  assert.equal(stream.send({ event: 'changed', data }), false)
  socket.destroy()
  await app.close()
})

test('one holder has so many streams and no more: the newest replaces the oldest, and others keep theirs', async () => {
  const { app, opened, client } = await streaming(3)
  const sockets = [await client('bob', { reads: true })]
  for (let n = 0; n < 5; n += 1) sockets.push(await client('ana', { reads: true }))
  assert.deepEqual(
    opened.map(({ closed }) => closed),
    [false, true, true, false, false, false],
  )
  for (const { socket } of sockets) socket.destroy()
  await app.close()
})
