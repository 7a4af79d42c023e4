import { connect } from 'node:net'

export interface Load {
  perSecond: number
  refused: number
}

/**
 * Asks the same thing over and over on some connections that stay open. As small as it can be, because it shares the
 * machine with what it measures.
 */
export function load(
  url: string,
  headers: Record<string, string>,
  seconds: number,
  connections: number,
): Promise<Load> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map((pair) => pair.join(': ')),
  ]
  const request = `${lines.join('\r\n')}\r\n\r\n`
  const begun = performance.now()
  let answered = 0
  let refused = 0
  let stopping = false
  setTimeout(() => {
    stopping = true
  }, seconds * 1000)

  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request))
      let missing = -1
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        let rest: Buffer = chunk
        if (missing < 0) {
          const end = rest.indexOf('\r\n\r\n')
          const head = rest.toString('latin1', 0, end)
          if (!head.startsWith('HTTP/1.1 200')) refused += 1
          missing = Number(/content-length: (\d+)/i.exec(head)?.[1])
          rest = rest.subarray(end + 4)
        }
        missing -= rest.length
        if (missing > 0) return
        missing = -1
        answered += 1
        if (!stopping) socket.write(request)
        else {
          socket.destroy()
          resolve()
        }
      })
    })
  return Promise.all(Array.from({ length: connections }, client)).then(() => ({
    perSecond: answered / ((performance.now() - begun) / 1000),
    refused,
  }))
}
