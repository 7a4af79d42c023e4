import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import path from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'

const fixture = (name: string) => path.join(import.meta.dirname, '..', 'hosts', 'fixtures', name)

/** A receiver of syslog over TLS that reads octet-counted frames (RFC 5425). */
export async function syslogReceiver() {
  const messages: string[] = []
  let breaksOff = 0
  const server = createServer({
    cert: readFileSync(fixture('loopback.crt')),
    key: readFileSync(fixture('loopback.key')),
  })
  // Beneath the encrypted one; connections come one after the other.
  let beneath: Socket | undefined
  server.on('connection', (socket: Socket) => {
    beneath = socket
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const chunks: Buffer[] = []
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (breaksOff === 0) return
      breaksOff -= 1
      // As the system does for a receiver that is killed.
      beneath?.resetAndDestroy()
    })
    socket.on('end', () => messages.push(...framesIn(Buffer.concat(chunks))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `syslog+tls://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: fixture('loopback.crt'),
    messages,
    /** The next so many connections are broken off once something has come. */
    breakOff: (times: number) => {
      breaksOff = times
    },
    isBreaking: () => breaksOff > 0,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

function framesIn(bytes: Buffer): string[] {
  const frames: string[] = []
  let at = 0
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.subarray(at, space).toString('ascii'))
    if (!Number.isInteger(length) || space + 1 + length > bytes.length) throw new Error('This is no frame.')
    frames.push(bytes.subarray(space + 1, space + 1 + length).toString('utf8'))
    at = space + 1 + length
  }
  return frames
}
