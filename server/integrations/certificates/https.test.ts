import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { isCertificateUrl } from '../../domain/on-call/senders/cloudwatch/sns/certificate-url.ts'
import { httpsHost, text } from '../../test/hosts/https-host.ts'
import { aCertificateUrl, snsFixture } from '../../test/on-call/sns.ts'
import { patienceMs } from '../../test/patience.ts'
import { httpsCertificates } from './https.ts'

const url = new URL(aCertificateUrl)
const pem = snsFixture('test-signing.crt')

async function played(t: TestContext, respond: RequestListener, { timeoutMs = patienceMs } = {}) {
  const { request, asked } = await httpsHost(t, respond)
  return { certificates: httpsCertificates({ isAllowed: isCertificateUrl, request, timeoutMs }), asked }
}

const unavailable = (why: RegExp) => ({ code: 'service_unavailable', message: why })

test('a certificate is fetched', async (t) => {
  const { certificates, asked } = await played(t, text(pem))
  assert.equal(await certificates.fetch(url), pem)
  assert.match(asked[0]!, new RegExp(`^GET ${url.hostname}(:\\d+)? ${url.pathname}$`))
  assert.equal(asked.length, 1)
})

test('a file with a chain, or with other line ends, is a certificate too', async (t) => {
  for (const body of [pem + pem, pem.replaceAll('\n', '\r\n'), pem.trim()]) {
    const { certificates } = await played(t, text(body))
    assert.equal(await certificates.fetch(url), body)
  }
})

test('an address that is not of SNS is not asked', async (t) => {
  const { certificates, asked } = await played(t, text(pem))
  for (const other of [
    aCertificateUrl.replace('https', 'http'),
    aCertificateUrl.replace('.com', '.com:8443'),
    aCertificateUrl.replace('eu-central-1', 's3-us-west-2'),
    `${aCertificateUrl}?x`,
    'https://localhost/',
  ])
    assert.equal(await certificates.fetch(new URL(other)), null)
  assert.deepEqual(asked, [])
})

test('an address without a certificate has none', async (t) => {
  for (const respond of [
    text('', 404),
    text('<Error>AccessDenied</Error>', 403),
    text(pem, 302, { location: aCertificateUrl }),
    text(''),
    text('<html>'),
    text(`x${pem}`),
    text(`${pem}x`),
    text(snsFixture('test-host.key')),
    text(pem + snsFixture('test-host.key')),
    // More than 64 KB.
    text(pem.repeat(Math.ceil((64 * 1024) / pem.length) + 1)),
  ]) {
    const { certificates } = await played(t, respond)
    assert.equal(await certificates.fetch(url), null)
  }
})

test('a failure of the moment is recognised, so that the sender tries again', async (t) => {
  for (const status of [408, 429, 500, 503]) {
    const { certificates } = await played(t, text('', status))
    await assert.rejects(certificates.fetch(url), unavailable(new RegExp(`status ${status}`)))
  }
  const broken = await played(t, (_, response) => response.destroy())
  await assert.rejects(broken.certificates.fetch(url), unavailable(/its address cannot be reached/))
  const silent = await played(t, () => {}, { timeoutMs: 200 })
  await assert.rejects(
    silent.certificates.fetch(url),
    unavailable(/its address did not answer within 0.2 seconds/),
  )
})
