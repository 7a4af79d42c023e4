import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snsFixture } from '../../../../../test/on-call/sns.ts'
import { CertificateUnavailable } from '../../../../ports/certificates.ts'
import { KnownCertificates } from './known-certificates.ts'

const start = Date.parse('2026-03-31T12:00:00Z')
const after = (ms: number) => new Date(start + ms)
const address = (n: number) => new URL(`https://sns.eu-central-1.amazonaws.com/${n}.pem`)
const day = 24 * 60 * 60 * 1000

/** Counts what is asked for. */
function counted(respond: () => Promise<string | null>) {
  const asked: string[] = []
  const known = new KnownCertificates({
    fetch(url) {
      asked.push(url.pathname)
      return respond()
    },
  })
  return { known, asked }
}
const certificate = async () => snsFixture('test-signing.crt')

test('a certificate is fetched once a day', async () => {
  const { known, asked } = counted(certificate)
  const first = await known.find(address(1), after(0))
  assert.match(first!.subject, /CN=sns\.amazonaws\.com/)
  assert.equal(await known.find(address(1), after(day - 1)), first)
  assert.equal(asked.length, 1)
  await known.find(address(1), after(day))
  assert.equal(asked.length, 2)
})

test('a caller at the same time waits for the same fetch', async () => {
  const fetch = Promise.withResolvers<string | null>()
  const { known, asked } = counted(() => fetch.promise)
  const all = [1, 2, 3].map((ms) => known.find(address(1), after(ms)))
  fetch.resolve(snsFixture('test-signing.crt'))
  const [one, ...others] = await Promise.all(all)
  assert.ok(one)
  for (const other of others) assert.equal(other, one)
  assert.equal(asked.length, 1)
})

test('a failure is remembered for seconds, and everyone who waited gets it', async () => {
  let fails = true
  const { known, asked } = counted(async () => {
    if (fails) throw new CertificateUnavailable('the line is down')
    return certificate()
  })
  const both = await Promise.allSettled([known.find(address(1), after(0)), known.find(address(1), after(1))])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  await assert.rejects(known.find(address(1), after(14_999)), CertificateUnavailable)
  assert.equal(asked.length, 1)
  assert.ok(await known.find(address(1), after(15_001)))
})

test('that there is no certificate is remembered for seconds too', async () => {
  for (const nothing of [
    null,
    '',
    'no certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ]) {
    const { known, asked } = counted(async () => nothing)
    assert.equal(await known.find(address(1), after(0)), null)
    assert.equal(await known.find(address(1), after(14_999)), null)
    assert.equal(asked.length, 1)
    await known.find(address(1), after(15_000))
    assert.equal(asked.length, 2)
  }
})

test('only so many are remembered, and one in use outlasts made-up addresses', async () => {
  const { known, asked } = counted(certificate)
  await known.find(address(0), after(0))
  for (let n = 1; n <= 300; n += 1) {
    await known.find(address(n), after(n))
    await known.find(address(0), after(n))
  }
  assert.equal(asked.length, 301)
  await known.find(address(300), after(300))
  assert.equal(asked.length, 301)
  await known.find(address(1), after(300))
  assert.equal(asked.length, 302)
})
