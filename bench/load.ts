import { connect } from 'node:net'

export interface Load {
  perSecond: number
  refused: number
  /** How long each took, in milliseconds, in the order of the answers. */
  took: number[]
}

/** Asks the same thing over and over on some connections that stay open. */
export function load(
  url: string,
  headers: Record<string, string>,
  seconds: number,
  connections: number,
): Promise<Load> {
  const request = requestFor('GET', url, headers)
  let stopping = false
  setTimeout(() => {
    stopping = true
  }, seconds * 1000)
  return send(url, connections, () => (stopping ? undefined : request))
}

export interface Asked {
  url: string
  headers: Record<string, string>
}

/** Each caller on a connection of its own, over and over: what it asks, in turns. All are of one server. */
export function loadEach(asked: Asked[][], seconds: number): Promise<Load> {
  const requests = asked.map((some) => some.map(({ url, headers }) => requestFor('GET', url, headers)))
  const turns = requests.map(() => 0)
  let stopping = false
  setTimeout(() => {
    stopping = true
  }, seconds * 1000)
  return send(asked[0]![0]!.url, requests.length, (caller) => {
    if (stopping) return undefined
    const own = requests[caller]!
    turns[caller]! += 1
    return own[turns[caller]! % own.length]
  })
}

/** Posts each body to its address, once. */
export function loadOnce(
  posts: { url: string; body: string; headers?: Record<string, string> }[],
  headers: Record<string, string>,
  connections: number,
): Promise<Load> {
  const made = new Map<(typeof posts)[number], string | Buffer>()
  const requests = posts
    .map((post) => {
      const own = { 'Content-Type': 'application/json', 'Content-Length': `${post.body.length}` }
      const request =
        made.get(post) ??
        inBytes(requestFor('POST', post.url, { ...headers, ...post.headers, ...own }, post.body))
      made.set(post, request)
      return request
    })
    .toReversed()
  return send(posts[0]!.url, Math.min(connections, posts.length), () => requests.pop())
}

/** Writing a long text out as bytes takes as long as sending it, so that is done before anything is timed. */
const inBytes = (request: string): string | Buffer =>
  request.length > 65_536 ? Buffer.from(request) : request

function requestFor(method: string, url: string, headers: Record<string, string>, body = ''): string {
  const { host, pathname, search } = new URL(url)
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map((pair) => pair.join(': ')),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends what comes next on each connection until nothing does. As small as it can be: it shares the machine. */
async function send(
  url: string,
  connections: number,
  next: (connection: number) => string | Buffer | undefined,
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const begun = performance.now()
  let finished = 0
  let refused = 0
  const took: number[] = []

  const client = (_: unknown, connection: number) =>
    new Promise<void>((resolve, reject) => {
      let asked = 0
      const ask = () => {
        const request = next(connection)
        asked = performance.now()
        if (request !== undefined) socket.write(request)
        else {
          socket.destroy()
          resolve()
        }
      }
      const socket = connect(Number(port), hostname, ask)
      let missing = -1
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        let rest: Buffer = chunk
        if (missing < 0) {
          const end = rest.indexOf('\r\n\r\n')
          const head = rest.toString('latin1', 0, end)
          if (!head.startsWith('HTTP/1.1 20')) refused += 1
          missing = Number(/content-length: (\d+)/i.exec(head)?.[1])
          rest = rest.subarray(end + 4)
        }
        missing -= rest.length
        if (missing > 0) return
        missing = -1
        finished += 1
        took.push(performance.now() - asked)
        ask()
      })
    })
  await Promise.all(Array.from({ length: connections }, client))
  return { perSecond: finished / ((performance.now() - begun) / 1000), refused, took }
}
