import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { httpHost } from '../../test/hosts/http-host.ts'
import { httpsHost, text } from '../../test/hosts/https-host.ts'
import { patienceMs } from '../../test/patience.ts'
import { until } from '../../test/until.ts'
import { CallFailed } from './call-failed.ts'
import { type ClientOptions, createClient } from './client.ts'

const limits = { timeoutMs: patienceMs, maxBytes: 1_000 }
const here = [{ address: '127.0.0.1', family: 4 }]

/** May call this machine, and nothing else that is private. */
const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ ...limits, allow: ['127.0.0.1'], ...options })

const url = 'https://sns.eu-central-1.amazonaws.com/some/path?with=hunter2'

async function overTls(t: TestContext, respond: RequestListener, { trusted = true } = {}) {
  const { request, asked } = await httpsHost(t, respond, { trusted })
  return { client: createClient({ ...limits, allow: 'anywhere', httpsOnly: true, request }), asked }
}

/** Failed like this, and without a word of what may be secret. */
const failed = (expected: Partial<CallFailed>) => (error: unknown) => {
  assert.ok(error instanceof CallFailed, String(error))
  for (const [field, value] of Object.entries(expected))
    assert.deepEqual(error[field as keyof CallFailed], value, field)
  assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /hunter2/)
  assert.equal(error.cause, undefined)
  return true
}

const endless = (response: ServerResponse) => {
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(500)));
  }
  response.on('drain', write)
  write()
}

test('what is sent arrives, and the answer comes back', async (t) => {
  const host = await httpHost(t, (_, response) => response.writeHead(201, { etag: '"1"' }).end('grüezi'))
  const response = await client().request({
    method: 'POST',
    url: `${host.url}/a?b=c`,
    headers: { authorization: 'Bearer hunter2' },
    json: { to: 'you' },
  })
  assert.deepEqual([response.status, response.headers.etag, response.text], [201, '"1"', 'grüezi'])
  await client({ userAgent: 'Somebody' }).request({ method: 'PUT', url: host.url, body: 'as=it&is' })
  const [json, plain] = host.asked
  assert.deepEqual([json!.method, json!.url, json!.body], ['POST', '/a?b=c', '{"to":"you"}'])
  assert.equal(json!.headers['content-type'], 'application/json')
  assert.equal(json!.headers.authorization, 'Bearer hunter2')
  assert.equal(json!.headers['user-agent'], 'Signalbox')
  assert.deepEqual([plain!.method, plain!.body], ['PUT', 'as=it&is'])
  assert.equal(plain!.headers['content-type'], undefined)
  assert.equal(plain!.headers['user-agent'], 'Somebody')
})

test('a refusal is an answer; what is a failure of the moment says so, and when to come back', async (t) => {
  let status = 0
  let headers = {}
  const host = await httpHost(t, (_, response) => response.writeHead(status, headers).end('why'))
  const call = { url: `${host.url}/?key=hunter2` }
  for (status of [200, 204, 304, 400, 401, 403, 404, 409, 422])
    assert.equal((await client().request(call)).status, status)
  for (status of [408, 429, 500, 502, 503, 504])
    await assert.rejects(
      client().request(call),
      failed({
        because: 'status',
        status,
        mayPass: true,
        retryAfterMs: null,
        message: `127.0.0.1 answered with status ${status}.`,
      }),
    )
  for (const [after, retryAfterMs] of [
    ['120', 120_000],
    ['Wed, 21 Oct 2026 07:30:00 GMT', 90_000],
    ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
  ] as const) {
    headers = { 'retry-after': after, date: 'Wed, 21 Oct 2026 07:28:30 GMT' }
    await assert.rejects(client().request(call), failed({ retryAfterMs }))
  }
})

test('a caller says what an answer is', async (t) => {
  let status = 0
  const host = await httpHost(t, (_, response) => response.writeHead(status).end('body'))
  status = 503
  assert.equal((await client().request({ url: host.url, accept: () => true })).text, 'body')
  status = 404
  const found = { url: host.url, accept: (status: number) => status === 200 }
  await assert.rejects(client().request(found), failed({ because: 'status', status: 404, mayPass: false }))
})

test('a failure is told by the name that people know', async (t) => {
  const host = await httpHost(t, (_, response) => response.writeHead(500).end())
  await assert.rejects(
    client({ name: 'PagerDuty' }).request({ url: host.url }),
    failed({ message: 'PagerDuty answered with status 500.', what: 'answered with status 500' }),
  )
})

test('no more is read than was agreed, whatever the length that was announced', async (t) => {
  let body = ''
  const host = await httpHost(t, (_, response) => (body ? response.end(body) : endless(response)))
  const read = (whenLarger: 'refuse' | 'cut') => client({ whenLarger }).request({ url: host.url })
  body = 'x'.repeat(1_000)
  for (const whenLarger of ['refuse', 'cut'] as const)
    assert.equal((await read(whenLarger)).text.length, 1_000)
  for (body of ['x'.repeat(1_001), '']) {
    await assert.rejects(
      read('refuse'),
      failed({
        because: 'too large',
        mayPass: false,
        message: '127.0.0.1 sent a response of more than 1 kB.',
      }),
    )
    assert.equal((await read('cut')).text, 'x'.repeat(1_000))
  }
})

test('a host that is slow, with its name, its headers or its body, is not waited for', async (t) => {
  const silent = await httpHost(t, () => {})
  const dripping = await httpHost(t, (_, response) => {
    const drip = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(drip))
  })
  const tooSlow = failed({
    because: 'timeout',
    mayPass: true,
    what: 'did not answer within 0.2 seconds',
  })
  for (const host of [silent, dripping])
    await assert.rejects(client().request({ url: host.url, timeoutMs: 200 }), tooSlow)
  const resolve = () => new Promise<never>(() => {})
  await assert.rejects(
    client({ resolve, timeoutMs: 200 }).request({ url: 'http://slow.example.com/' }),
    tooSlow,
  )
})

test('a call that waits for a turn has no more time than others', async (t) => {
  const waiting: ServerResponse[] = []
  const host = await httpHost(t, (_, response) => void waiting.push(response))
  const narrow = client({ maxConnections: 1 })
  const first = narrow.request({ url: host.url })
  await until('the first has the connection', () => waiting.length === 1)
  await assert.rejects(
    narrow.request({ url: host.url, timeoutMs: 200 }),
    failed({ because: 'timeout', host: '127.0.0.1' }),
  )
  const third = narrow.request({ url: host.url })
  waiting[0]!.end('first')
  assert.equal((await first).text, 'first')
  await until('the third has its turn', () => waiting.length === 2)
  waiting[1]!.end('third')
  assert.equal((await third).text, 'third')
})

test('a call that no one wants any more ends with the reason that was given', async (t) => {
  const host = await httpHost(t, () => {})
  const stop = new AbortController()
  const calling = client().request({ url: host.url, signal: stop.signal })
  await until('the host has been asked', () => host.asked.length === 1)
  stop.abort(new Error('enough'))
  await assert.rejects(calling, /^Error: enough$/)
})

test('a connection that is refused, or breaks, may come back', async (t) => {
  await assert.rejects(
    client().request({ url: 'http://127.0.0.1:1/?key=hunter2' }),
    failed({
      because: 'unreachable',
      code: 'ECONNREFUSED',
      mayPass: true,
      message: '127.0.0.1 cannot be reached (ECONNREFUSED).',
    }),
  )
  const broken = await httpHost(t, (_, response) => void response.destroy())
  await assert.rejects(client().request({ url: broken.url }), failed({ because: 'unreachable' }))
  const cut = await httpHost(t, (_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  })
  await assert.rejects(client().request({ url: cut.url }), failed({ because: 'unreachable' }))
})

test('what may not be called is not called', async (t) => {
  const host = await httpHost(t, (_, response) => response.end('secret'))
  for (const [name, because] of [
    ['127.0.0.1', 'not public'],
    ['2130706433', 'not public'],
    ['0x7f.1', 'not public'],
    ['0177.0.0.1', 'not public'],
    ['[::1]', 'not public'],
    ['[::ffff:127.0.0.1]', 'not public'],
    ['localhost', 'not public'],
  ] as const)
    await assert.rejects(
      client({ allow: [] }).request({ url: `http://${name}:${host.port}/?key=hunter2` }),
      failed({ because, mayPass: false }),
    )
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://[', ''])
    await assert.rejects(client().request({ url }), failed({ because: 'not http', mayPass: false }))
  await assert.rejects(
    client({ httpsOnly: true }).request({ url: host.url }),
    failed({ message: '127.0.0.1 leads to an address that is not https.' }),
  )
  assert.equal(host.asked.length, 0)
})

test('the connection goes to the address that was checked, whatever the name server says next', async (t) => {
  const host = await httpHost(t, (_, response) => response.end('reached'))
  let questions = 0
  const resolve = async () => {
    questions += 1
    return questions === 1 ? here : [{ address: '127.0.0.2', family: 4 }]
  }
  const rebound = client({ resolve })
  const url = `http://rebinding.example.com:${host.port}/`
  assert.equal((await rebound.request({ url })).text, 'reached')
  assert.equal(questions, 1)
  assert.equal(host.asked[0]!.headers.host, `rebinding.example.com:${host.port}`)
  await assert.rejects(
    rebound.request({ url }),
    failed({ message: 'rebinding.example.com is not on the public internet.' }),
  )
  assert.equal(host.asked.length, 1)
})

test('a connection is kept for calls to the same addresses, and never serves one that was checked for others', async (t) => {
  const sockets = new Set<unknown>()
  const host = await httpHost(t, (_, response) => {
    sockets.add(response.socket)
    response.end('reached')
  })
  let addresses = here
  const keeping = client({ keepsConnections: true, resolve: async () => addresses })
  const call = (name: string) => keeping.request({ url: `http://${name}.example.com:${host.port}/` })
  for (let time = 0; time < 3; time += 1) await call('one')
  assert.equal(sockets.size, 1)
  await call('other')
  assert.equal(sockets.size, 2, 'another name')
  // The first leads to the same host, but the call is allowed to go to both.
  addresses = [...here, { address: '8.8.8.8', family: 4 }]
  await call('one')
  assert.equal(sockets.size, 3, 'other addresses')
  addresses = [{ address: '10.0.0.1', family: 4 }]
  await assert.rejects(call('one'), failed({ because: 'not public' }))
  assert.equal(host.asked.length, 5)
  addresses = here
  await call('one')
  assert.equal(sockets.size, 3)
  // Without being told, each call has its own.
  for (let time = 0; time < 2; time += 1) await client().request({ url: host.url })
  assert.equal(sockets.size, 5)
})

test('a kept connection that the other side closes is replaced; one that breaks under its first call is not', async (t) => {
  const calls = new Map<unknown, number>()
  const host = await httpHost(t, (_, response) => {
    const count = (calls.get(response.socket) ?? 0) + 1
    calls.set(response.socket, count)
    // Nothing is said of it beforehand, as when its time is over just then.
    if (count > 1) response.socket!.resetAndDestroy()
    else response.end('reached')
  })
  const keeping = client({ keepsConnections: true })
  const call = () => keeping.request({ method: 'POST', url: host.url, body: 'once or twice' })
  assert.equal((await call()).text, 'reached')
  assert.equal((await call()).text, 'reached')
  assert.deepEqual([...calls.values()], [2, 1])
  const broken = await httpHost(t, (_, response) => void response.socket!.resetAndDestroy())
  await assert.rejects(keeping.request({ url: broken.url }), failed({ because: 'unreachable' }))
  assert.equal(broken.asked.length, 1)
})

test('a connection over TLS is kept, too, and its host has proven who it is', async (t) => {
  const sockets = new Set<unknown>()
  const { request } = await httpsHost(t, (incoming, response) => {
    sockets.add(incoming.socket)
    response.end('reached')
  })
  const keeping = createClient({
    ...limits,
    allow: 'anywhere',
    httpsOnly: true,
    keepsConnections: true,
    request,
  })
  for (let time = 0; time < 2; time += 1) assert.equal((await keeping.request({ url })).text, 'reached')
  assert.equal(sockets.size, 1)
  await assert.rejects(
    keeping.request({ url: 'https://sns.eu-west-1.amazonaws.com/' }),
    failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  )
  assert.equal(sockets.size, 1)
})

test('a redirect is followed as often as agreed, and each address is checked again', async (t) => {
  const inner = await httpHost(t, (_, response) => response.end('metadata'))
  const host = await httpHost(t, ({ url }, response) => {
    const to = new URL(url, 'http://x').searchParams.get('to')
    if (to === null) response.end('arrived')
    else response.writeHead(302, { location: to }).end()
  })
  const resolve = async (name: string) =>
    name === 'here.example.com' ? here : [{ address: '10.0.0.9', family: 4 }]
  const following = client({ allow: ['here.example.com'], resolve, maxRedirects: 2 })
  const at = `http://here.example.com:${host.port}`
  const through = (to: string) => `/?to=${encodeURIComponent(to)}`
  const call = (path: string) => following.request({ url: at + path })
  assert.equal((await call(through(through('/end')))).text, 'arrived')
  await assert.rejects(
    call(through(through(through('/end')))),
    failed({ because: 'redirects', mayPass: false, what: 'redirects more than 2 times' }),
  )
  for (const to of [
    `http://127.0.0.1:${inner.port}/`,
    `http://[::ffff:7f00:1]:${inner.port}/`,
    'http://169.254.169.254/latest/meta-data',
    'http://other.example.com/?key=hunter2',
  ])
    await assert.rejects(call(through(to)), failed({ because: 'not public' }))
  await assert.rejects(call(through('file:///etc/passwd')), failed({ because: 'not http' }))
  await assert.rejects(call(through('http://[')), failed({ because: 'redirects' }))
  assert.equal(inner.asked.length, 0)
})

test('a redirect is not followed unless told, and never with something that was sent', async (t) => {
  const elsewhere = await httpHost(t, (_, response) => response.end())
  const host = await httpHost(t, (_, response) =>
    response.writeHead(307, { location: elsewhere.url }).end('moved'),
  )
  const moved = failed({ because: 'status', status: 307, mayPass: false })
  await assert.rejects(client().request({ url: host.url }), moved)
  await assert.rejects(
    client({ maxRedirects: 3 }).request({ method: 'POST', url: host.url, body: 'hunter2' }),
    moved,
  )
  assert.equal(elsewhere.asked.length, 0)
  const response = await client({ maxRedirects: 3 }).request({ url: host.url, accept: () => true })
  assert.deepEqual([response.status, response.text], [307, 'moved'])
})

test('headers stay with the origin they were meant for, and a password in an address is never sent', async (t) => {
  const elsewhere = await httpHost(t, (_, response) =>
    response.writeHead(302, { location: `http://me:hunter2@127.0.0.1:${host.port}/back` }).end(),
  )
  const host = await httpHost(t, ({ url }, response) => {
    if (url === '/back') response.end('done')
    else response.writeHead(302, { location: url === '/' ? '/next' : elsewhere.url }).end()
  })
  const headers = { authorization: 'Bearer hunter2', 'x-key': 'hunter2' }
  const response = await client({ maxRedirects: 3 }).request({ url: host.url, headers })
  assert.equal(response.text, 'done')
  const carried = [...host.asked.slice(0, 2), ...elsewhere.asked, ...host.asked.slice(2)].map(
    ({ url, headers }) => [url, headers.authorization, headers['x-key'], headers['user-agent']],
  )
  assert.deepEqual(carried, [
    ['/', 'Bearer hunter2', 'hunter2', 'Signalbox'],
    ['/next', 'Bearer hunter2', 'hunter2', 'Signalbox'],
    ['/', undefined, undefined, 'Signalbox'],
    ['/back', undefined, undefined, 'Signalbox'],
  ])
})

test('a host that cannot prove who it is, or proves to be another one, gets no question', async (t) => {
  const good = await overTls(t, text('here it is'))
  assert.equal((await good.client.request({ url })).text, 'here it is')
  assert.equal(good.asked.length, 1)
  const untrusted = await overTls(t, text('x'), { trusted: false })
  await assert.rejects(
    untrusted.client.request({ url }),
    failed({ because: 'unreachable', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', mayPass: true }),
  )
  assert.deepEqual(untrusted.asked, [])
  const other = await overTls(t, text('x'))
  await assert.rejects(
    other.client.request({ url: 'https://sns.eu-west-1.amazonaws.com/' }),
    failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  )
  assert.deepEqual(other.asked, [])
})

/** A host that is handed what comes before it has come whole. */
async function openHost(
  t: TestContext,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const streaming = { idleMs: 5_000 }

test('what is streamed goes through in both directions before either has ended', async (t) => {
  const url = await openHost(t, (request, response) => {
    response.writeHead(200)
    request.on('data', (chunk) => response.write(`${chunk}!`))
    request.on('end', () => response.end())
  })
  const body = new PassThrough()
  body.write('one')
  const answer = await client().stream({ ...streaming, url, method: 'POST', body })
  assert.equal(`${(await once(answer.body, 'data'))[0]}`, 'one!')
  body.write('two')
  assert.equal(`${(await once(answer.body, 'data'))[0]}`, 'two!')
  body.end('three')
  assert.equal(await textOf(answer.body), 'three!')
})

test('nothing is read ahead of the reader: a host that sends more than is wanted has to wait', async (t) => {
  let written = 0
  const url = await openHost(t, (_, response) => {
    const more = () => {
      do written += 100_000
      while (response.write(Buffer.alloc(100_000)) && written < 200_000_000)
    }
    response.on('drain', more)
    more()
  })
  const answer = await client({ maxBytes: 1e9 }).stream({ ...streaming, url })
  await once(answer.body, 'readable')
  let before = -1
  await until('the host waits', async () => {
    const stands = before === written
    before = written
    await new Promise((resolve) => setTimeout(resolve, 50))
    return stands
  })
  assert.ok(written < 50_000_000, `${written} bytes were taken from the host`)
  answer.body.destroy()
})

test('a stream follows no redirect, and is held to the same addresses and to its limits', async (t) => {
  const elsewhere = await httpHost(t, (_, response) => response.end())
  const moved = await openHost(t, (_, response) => response.writeHead(302, { location: elsewhere.url }).end())
  const redirect = await client({ maxRedirects: 3 }).stream({ ...streaming, url: moved })
  assert.equal(redirect.status, 302)
  redirect.body.destroy()
  assert.equal(elsewhere.asked.length, 0)
  await assert.rejects(
    client({ allow: [] }).stream({ ...streaming, url: moved }),
    failed({ because: 'not public' }),
  )

  const large = await openHost(t, (_, response) => endless(response))
  const tooLarge = await client().stream({ ...streaming, url: large })
  await assert.rejects(textOf(tooLarge.body), failed({ because: 'too large' }))
  const silent = await openHost(t, () => {})
  await assert.rejects(client().stream({ url: silent, idleMs: 50 }), failed({ because: 'timeout' }))
  const late = client({ timeoutMs: 100 }).stream({ ...streaming, url: silent })
  await assert.rejects(late, failed({ because: 'timeout' }))
})

test('a stream ends on both sides when either goes', async (t) => {
  const sides: IncomingMessage[] = []
  const url = await openHost(t, (request, response) => {
    sides.push(request)
    request.on('error', () => {}).resume()
    response.write('begun')
  })
  const gone = new AbortController()
  const body = new PassThrough().on('error', () => {})
  body.write('begun')
  const answer = await client().stream({ ...streaming, url, method: 'POST', body, signal: gone.signal })
  await once(answer.body, 'readable')
  answer.body.on('error', () => {})
  gone.abort(new Error('nobody waits'))
  await until('whoever reads hears it', () => answer.body.destroyed)
  await until('the host hears it', () => sides[0]!.destroyed)
  // What was to be sent breaks off.
  const broken = new PassThrough()
  broken.write('begun')
  const failing = client().stream({ ...streaming, url, method: 'POST', body: broken })
  failing.then(({ body }) => body.on('error', () => {})).catch(() => {})
  await until('it has begun', () => sides.length === 2)
  broken.destroy(new Error('broken off'))
  await until('the host hears that, too', () => sides[1]!.destroyed)
})
