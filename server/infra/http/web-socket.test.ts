import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { snsFixture } from '../../test/on-call/sns.ts'
import { openWebSocket } from './websocket-client.ts'

/** The other end of a WebSocket over TLS, which answers pings for as long as it is told to. */
async function aHost() {
  const cert = snsFixture('test-host.crt')
  const server = createServer({ key: snsFixture('test-host.key'), cert })
  const host = { answers: true, pinged: 0, port: 0, close: () => server.closeAllConnections() }
  server.on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.on('error', () => {})
    socket.on('data', ([first]: Buffer) => {
      if (first !== 0x89) return
      host.pinged += 1
      if (host.answers) socket.write(Buffer.from([0x8a, 0x00]))
    })
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  host.port = (server.address() as AddressInfo).port
  return { host, server, cert }
}

test('over TLS a ping is answered by a sign of life, and a silent connection is dropped at once', async (t) => {
  const { host, server, cert } = await aHost()
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  t.after(() => {
    setDefaultCACertificates(before)
    host.close()
    server.close()
  })
  const url = new URL(`wss://sns.eu-central-1.amazonaws.com:${host.port}/`)
  const watched = openWebSocket(url, [{ address: '127.0.0.1', family: 4 }])
  const { socket } = watched
  await once(socket, 'open')
  const sign = once(socket, 'sign')
  watched.ping()
  await sign
  assert.equal(host.pinged, 1)

  host.answers = false
  let signs = 0
  socket.addEventListener('sign', () => {
    signs += 1
  })
  watched.ping()
  while (host.pinged < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(signs, 0, 'it was heard and nothing came back')
  const closed = once(socket, 'close')
  watched.drop()
  await closed
})
