import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { httpHost } from '../../test/hosts/http-host.ts'
import { patienceMs } from '../../test/patience.ts'
import { httpProbe } from './http.ts'

const never = new AbortController().signal
const here = [{ address: '127.0.0.1', family: 4 }]

function look(
  url: string,
  options: Partial<Parameters<typeof httpProbe>[0]> & { timeoutMs?: number; expected?: number[] },
) {
  const { timeoutMs = patienceMs, expected = [200], allow = [], ...rest } = options
  return httpProbe({ allow, ...rest }).get({ url, timeoutMs, expected }, never)
}

const notPublic = /is not on the public internet/

test('an address that answers is told with its status and body', async (t) => {
  const host = await httpHost(t, (_, response) => response.writeHead(503).end('down for repairs'))
  assert.deepEqual(await look(`${host.url}/health?deep=1`, { allow: ['127.0.0.1'] }), {
    status: 503,
    body: 'down for repairs',
  })
  const [{ method, url, headers }] = host.asked as [(typeof host.asked)[0]]
  assert.deepEqual([method, url], ['GET', '/health?deep=1'])
  assert.equal(headers.authorization, undefined)
  assert.equal(headers.cookie, undefined)
})

test('what is not on the public internet is not asked, however it is written', async (t) => {
  const host = await httpHost(t, (_, response) => response.end('secret'))
  for (const name of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    'localhost',
    'localhost.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '0.0.0.0',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '10.0.0.1',
  ]) {
    const probed = await look(`http://${name}:${host.port}/`, {})
    assert.ok('problem' in probed, name)
    assert.match(probed.problem, notPublic, name)
    assert.match(probed.problem, /Ask the server operator to allow/)
  }
  assert.equal(host.asked.length, 0)
})

test('a host one of whose addresses may not be reached is not asked, and the addresses are not told', async () => {
  const resolve = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '10.1.2.3', family: 4 },
  ]
  const probed = await look('http://mixed.example.com/', { resolve })
  assert.ok('problem' in probed)
  assert.match(probed.problem, notPublic)
  assert.doesNotMatch(probed.problem, /10\.1\.2\.3/)
})

test('the connection goes to the address that was checked, whatever the name server says next', async (t) => {
  const host = await httpHost(t, (_, response) => response.end('reached'))
  let questions = 0
  // First an address that may be reached, here loopback for the sake of the test; then one that may not.
  const resolve = async () => {
    questions += 1
    return questions === 1 ? here : [{ address: '127.0.0.2', family: 4 }]
  }
  const url = `http://rebinding.example.com:${host.port}/`
  const options = { allow: ['127.0.0.1'], resolve }
  assert.deepEqual(await look(url, options), { status: 200, body: 'reached' })
  assert.equal(questions, 1)
  assert.equal(host.asked[0]!.headers.host, `rebinding.example.com:${host.port}`)
  const second = await look(url, options)
  assert.ok('problem' in second)
  assert.match(second.problem, notPublic)
  assert.equal(host.asked.length, 1)
})

test('the operator allows hosts by name, and networks', async (t) => {
  const host = await httpHost(t, (_, response) => response.end('inside'))
  const resolve = async () => here
  const url = `http://Status.Internal:${host.port}/`
  for (const allow of [['status.internal'], ['127.0.0.0/8'], ['10.0.0.0/8', '127.0.0.1']])
    assert.deepEqual(await look(url, { allow, resolve }), { status: 200, body: 'inside' })
  for (const allow of [[], ['internal'], ['other.internal'], ['10.0.0.0/8'], ['127.0.0.2']])
    assert.ok('problem' in (await look(url, { allow, resolve })), allow.join())
  assert.ok(
    'status' in
      (await look(`http://status.internal.:${host.port}/`, { allow: ['status.internal'], resolve })),
  )
})

test('a redirect is followed three times at most, and each address is checked again', async (t) => {
  const inner = await httpHost(t, (_, response) => response.end('metadata'))
  const host = await httpHost(t, ({ url }, response) => {
    const [, left] = /^\/(\d+)$/.exec(url) ?? []
    if (left === '0') response.end('arrived')
    else if (left) response.writeHead(302, { location: `/${Number(left) - 1}` }).end()
    else response.writeHead(307, { location: decodeURIComponent(url.slice(2)) }).end()
  })
  const resolve = async (name: string) =>
    name === 'here.example.com' ? here : [{ address: '10.0.0.9', family: 4 }]
  const options = { allow: ['here.example.com'], resolve }
  const at = `http://here.example.com:${host.port}`
  assert.deepEqual(await look(`${at}/3`, options), { status: 200, body: 'arrived' })
  assert.deepEqual(await look(`${at}/4`, options), { problem: 'it redirects more than 3 times' })
  for (const to of [
    `http://127.0.0.1:${inner.port}/`,
    `http://[::ffff:7f00:1]:${inner.port}/`,
    'http://169.254.169.254/latest/meta-data',
    'http://other.example.com/',
  ]) {
    const probed = await look(`${at}/?${encodeURIComponent(to)}`, options)
    assert.ok('problem' in probed, to)
    assert.match(probed.problem, notPublic)
  }
  assert.equal(inner.asked.length, 0)
  const file = await look(`${at}/?${encodeURIComponent('file:///etc/passwd')}`, options)
  assert.deepEqual(file, { problem: 'it leads to an address that is not http or https' })
  const broken = await look(`${at}/?${encodeURIComponent('http://[')}`, options)
  assert.deepEqual(broken, { problem: 'it redirects to an address that is not valid' })
})

test('a redirect whose status is wanted is the answer, and one without an address too', async (t) => {
  const host = await httpHost(t, ({ url }, response) =>
    response.writeHead(301, url === '/bare' ? {} : { location: '/elsewhere' }).end('moved'),
  )
  const allow = ['127.0.0.1']
  assert.deepEqual(await look(host.url, { allow, expected: [301] }), { status: 301, body: 'moved' })
  assert.deepEqual(await look(`${host.url}/bare`, { allow }), { status: 301, body: 'moved' })
})

test('credentials are never sent, not even those of a redirect', async (t) => {
  const host = await httpHost(t, ({ url }, response) => {
    if (url === '/end') response.end('')
    else response.writeHead(302, { location: `http://me:hunter2@127.0.0.1:${host.port}/end` }).end()
  })
  assert.ok('status' in (await look(host.url, { allow: ['127.0.0.1'] })))
  assert.equal(host.asked.length, 2)
  for (const { headers } of host.asked) assert.equal(headers.authorization, undefined)
})

test('of a body the first 256 KB are read', async (t) => {
  const host = await httpHost(t, ({ url }, response) => {
    if (url === '/whole') return void response.end(`${'x'.repeat(256 * 1024 - 3)}end`)
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', write)
    write()
  })
  const whole = await look(`${host.url}/whole`, { allow: ['127.0.0.1'] })
  assert.ok('body' in whole && whole.body.endsWith('xend'))
  const endless = await look(host.url, { allow: ['127.0.0.1'] })
  assert.ok('body' in endless && endless.body.length === 256 * 1024)
})

test('who is slow, with an answer or within it or with its name, is not waited for', async (t) => {
  const silent = await httpHost(t, () => {})
  const slow = await httpHost(t, (_, response) => void response.write('half'))
  const allow = ['127.0.0.1']
  const problem = { problem: 'no response within 0.2 seconds' }
  for (const { url } of [silent, slow]) assert.deepEqual(await look(url, { allow, timeoutMs: 200 }), problem)
  const resolve = () => new Promise<never>(() => {})
  assert.deepEqual(await look('http://slow.example.com/', { resolve, timeoutMs: 200 }), problem)
})

test('who cannot be reached, has no address or proves nothing is told as such', async (t) => {
  const allow = ['127.0.0.1']
  assert.deepEqual(await look('http://127.0.0.1:1/', { allow }), {
    problem: 'it could not be reached (ECONNREFUSED)',
  })
  const resolve = async () => {
    throw Object.assign(new Error('x'), { code: 'ENOTFOUND' })
  }
  assert.deepEqual(await look('http://gone.example.com/', { resolve }), {
    problem: 'it could not be reached (ENOTFOUND)',
  })
  assert.deepEqual(await look('http://empty.example.com/', { resolve: async () => [] }), {
    problem: 'its host has no address',
  })
  const fixture = (name: string) =>
    readFileSync(path.join(import.meta.dirname, '../../test/hosts/fixtures', name))
  const tls = createServer({ key: fixture('loopback.key'), cert: fixture('loopback.crt') }, (_, response) =>
    response.end(),
  )
  await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done))
  t.after(() => {
    tls.closeAllConnections()
    tls.close()
  })
  const probed = await look(`https://127.0.0.1:${(tls.address() as AddressInfo).port}/`, { allow })
  assert.ok('problem' in probed)
  assert.match(probed.problem, /^it could not be reached \(.*CERT.*\)$/)
})

test('a check that no one wants any more is given up', async (t) => {
  const host = await httpHost(t, () => {})
  const stop = new AbortController()
  const probing = httpProbe({ allow: ['127.0.0.1'] }).get(
    { url: host.url, timeoutMs: 60_000, expected: [200] },
    stop.signal,
  )
  stop.abort()
  await assert.rejects(probing, { name: 'AbortError' })
})
