import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ledgerInto } from '../test/ledger.ts'
import { openGateway, type Usage } from './gateway.ts'

/** What an agent can write to the socket that it is given, byte by byte, with no library in between. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-hostile-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const asked: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = []
const provider = http.createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  asked.push({ url: request.url!, headers: request.headers, body })
  const usage = { input_tokens: 10, output_tokens: 10 }
  response.end(JSON.stringify({ model: 'claude-opus-4-5', usage }))
})
provider.listen(0, '127.0.0.1')
await once(provider, 'listening')
const upstream = { base: `http://127.0.0.1:${(provider.address() as net.AddressInfo).port}`, key: 'real' }
const booked: Usage[] = []
const gateway = await openGateway({
  upstreams: { anthropic: upstream, openai: upstream, google: upstream },
  ...{ usdMicros: 5_000_000, ledger: ledgerInto(booked), folder },
})
after(async () => {
  await gateway.close()
  provider.closeAllConnections()
  provider.close()
})

/** What comes back until the gateway closes the connection, or has said this many words of a status. */
async function written(bytes: string | Buffer, answers = 1): Promise<string> {
  const socket = net.connect(gateway.socket)
  socket.on('error', () => {})
  socket.write(bytes)
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
    if ((heard.match(/HTTP\/1\.1 [2-5]/g) ?? []).length >= answers && heard.endsWith('\r\n0\r\n\r\n'))
      socket.end()
    else if (/content-length|connection: close/i.test(heard) && answers === 1) socket.end()
  })
  await once(socket, 'close')
  return heard
}
const status = (heard: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0)

const usual = '{"model":"claude-opus-4-5","max_tokens":10,"messages":[{"role":"user","content":"hello"}]}'
const post = (target: string, body: string | Buffer, headers = '') =>
  Buffer.concat([
    Buffer.from(
      `POST ${target} HTTP/1.1\r\nHost: gateway\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

/** What reached the provider of it. */
async function reached(bytes: string | Buffer, answers?: number) {
  const before = asked.length
  const heard = await written(bytes, answers)
  return { status: status(heard), heard, asked: asked.slice(before) }
}

test('however an address is written, it leads to one of the calls that are known, at the provider, or nowhere', async () => {
  for (const target of [
    ...['/v1/messages', 'http://evil.example/v1/messages', '//evil.example/v1/messages'],
    ...['/v1/files/../messages', '/v1/./messages?x=http://evil.example'],
  ]) {
    const came = await reached(post(target, usual))
    assert.equal(came.status, 200, target)
    assert.deepEqual(
      came.asked.map(({ url, headers }) => [url, headers.host]),
      [['/v1/messages', new URL(upstream.base).host]],
    )
  }
  for (const target of [
    ...[
      'http://[',
      'http://%/v1/messages',
      '/v1/messages/',
      '/v1/messages%2f..%2fbatches',
      '/v1/messages/batches',
    ],
    ...[
      '/v1/messages/../batches',
      '/v1/embeddings',
      '/v1/realtime',
      '/v1/responses/resp_1',
      '/v1/responses/compact',
    ],
    ...[
      '/v1/completions',
      '/v1beta/models/gemini-2.5-pro:embedContent',
      '/v1beta/models/a%2fb:generateContent',
      '*',
    ],
  ]) {
    const came = await reached(post(target, usual))
    assert.ok(came.status >= 400 && came.status < 500, `${target}: ${came.heard}`)
    assert.deepEqual(came.asked, [], target)
  }
  // Whatever it was: the next one is answered.
  assert.equal((await reached(post('/v1/messages', usual))).status, 200)
})

test('a length that is not true, or is said twice, brings nothing through that was not looked at', async () => {
  const head = 'POST /v1/messages HTTP/1.1\r\nHost: gateway\r\n'
  const chunked = `${usual.length.toString(16)}\r\n${usual}\r\n0\r\n\r\n`
  for (const [name, bytes] of [
    ['both', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['two lengths', `${head}Content-Length: ${usual.length}\r\nContent-Length: 5\r\n\r\n${usual}`],
    ['no number', `${head}Content-Length: 0x10\r\n\r\n${usual}`],
    [
      'a chunk that is longer than it says',
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n${usual}\r\n0\r\n\r\n`,
    ],
    ['a header in a header', `${head}X: a\rContent-Length: 5\r\n\r\n${usual}`],
  ] as const) {
    const came = await reached(bytes)
    assert.deepEqual(came.asked, [], name)
    assert.ok(came.status >= 400 && came.status < 500, `${name}: ${came.heard}`)
  }
  const honest = await reached(`${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`)
  assert.equal(honest.asked.length, 1)
  assert.equal(honest.asked[0]!.headers['transfer-encoding'], undefined)
})

test('what is hidden behind another request is looked at on its own', async () => {
  const before = asked.length
  const refused = usual.replace('{', '{"container":"c",')
  const both = Buffer.concat([
    post('/v1/messages', refused),
    post('/v1/messages', usual, 'Connection: close\r\n'),
  ])
  const heard = await written(both, 2)
  assert.deepEqual(heard.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 200'])
  assert.equal(asked.length, before + 1)
})

test('a field counts as the provider reads it: once, whatever it is spelled like', async () => {
  const fields = usual.slice(1)
  for (const [name, body] of [
    ['an escaped name', `{"mcp_serv\\u0065rs":[{"type":"url","url":"https://e.com"}],${fields}`],
    ['the last of two', `{"service_tier":"standard_only","service_tier":"auto",${fields}`],
    ['a name with a nought', `{"container\\u0000":"c",${fields}`],
    ['another case', `{"Container":"c",${fields}`],
    ['compressed', gzipSync(usual)],
    ['wider letters', Buffer.from(usual, 'utf16le')],
    ['a mark before it', `\ufeff${usual}`],
    ['two of them', usual + usual],
    ['a list', `[${usual}]`],
    ['a long name', `{"${'a'.repeat(3_000)}":1,${fields}`],
    ['a long model', usual.replace('claude-opus-4-5', 'c'.repeat(3_000))],
  ] as const) {
    const came = await reached(post('/v1/messages', body))
    assert.deepEqual([came.status, came.asked], [400, []], name)
  }
  const twice = `{"max_tokens":100000,"max_tok\\u0065ns":20,${fields.replace('"max_tokens":10,', '')}`
  const came = await reached(post('/v1/messages', twice))
  assert.deepEqual(JSON.parse(came.asked[0]!.body).max_tokens, 20)
  assert.equal(came.asked[0]!.body.match(/max_tok/g)!.length, 1)
})

test('nothing but the call itself goes to the provider: no key, no host, no way to switch to something else', async () => {
  const headers = [
    ...['Authorization: Bearer stolen', 'X-Api-Key: stolen', 'X-Goog-Api-Key: stolen', 'Cookie: a=b'],
    ...[
      'X-Forwarded-Host: evil.example',
      'OpenAI-Organization: org',
      'OpenAI-Project: proj',
      'X-Stainless-Helper: x',
    ],
    ...[
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Content-Type: multipart/form-data',
      'X-HTTP-Method-Override: PUT',
    ],
  ]
  const came = await reached(post('/v1/messages', usual, `${headers.join('\r\n')}\r\n`))
  const passed = came.asked[0]!.headers
  assert.deepEqual(Object.keys(passed).sort(), [
    ...['accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'x-api-key'],
  ])
  assert.deepEqual([passed['x-api-key'], passed['content-type']], ['real', 'application/json'])
  const old = await reached(post('/v1/messages', usual).toString().replace('HTTP/1.1', 'HTTP/1.0'))
  assert.equal(old.asked.length, 1)
  const tunnel = await reached('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')
  assert.deepEqual([tunnel.heard, tunnel.asked], ['', []])
})

test('all that came through was booked', () => {
  assert.equal(booked.length, asked.length)
})
