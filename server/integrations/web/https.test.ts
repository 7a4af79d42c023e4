import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import {
  confirmationUrl,
  isConfirmationUrl,
} from '../../domain/on-call/senders/cloudwatch/sns/confirmation-url.ts'
import { httpsHost, text } from '../../test/hosts/https-host.ts'
import { aTopicArn } from '../../test/on-call/sns.ts'
import { httpsWeb } from './https.ts'

const url = confirmationUrl({ topicArn: aTopicArn, token: 'a1b2c3' })!

async function played(t: TestContext, respond: RequestListener) {
  const { request, asked } = await httpsHost(t, respond)
  return { web: httpsWeb({ isAllowed: isConfirmationUrl, request }), asked }
}

test('a subscription is confirmed with one visit', async (t) => {
  const { web, asked } = await played(t, text('<ConfirmSubscriptionResponse/>'))
  assert.deepEqual(await web.confirm(url), { confirmed: true })
  assert.equal(asked.length, 1)
  assert.match(asked[0]!, /^GET sns\.eu-central-1\.amazonaws\.com(:\d+)? \/\?Action=ConfirmSubscription&/)
})

test('a token that is refused is refused for good', async (t) => {
  for (const status of [302, 400, 403, 404]) {
    const { web } = await played(t, text('', status, { location: 'https://example.com' }))
    const reason = `sns.eu-central-1.amazonaws.com answered with status ${status}`
    assert.deepEqual(await web.confirm(url), { confirmed: false, reason })
  }
})

test('a failure of the moment is thrown, without the token', async (t) => {
  const withoutToken = (error: Error) =>
    /could not be confirmed/.test(error.message) && !error.message.includes('a1b2c3')
  const busy = await played(t, text('', 503))
  await assert.rejects(busy.web.confirm(url), withoutToken)
  const broken = await played(t, (_, response) => response.destroy())
  await assert.rejects(broken.web.confirm(url), withoutToken)
})

test('an address that confirms no subscription is not visited', async (t) => {
  const { web, asked } = await played(t, text(''))
  for (const other of [
    url.href.replace('https', 'http'),
    url.href.replace('eu-central-1.amazonaws', 'eu-west-1.amazonaws'),
    url.href.replace('sns.', 'user@sns.'),
    url.href.replace('.com/', '.com:8443/'),
    url.href.replace('ConfirmSubscription', 'Unsubscribe'),
    `${url.href}&Extra=1`,
    'https://169.254.169.254/latest/meta-data',
  ])
    assert.equal((await web.confirm(new URL(other))).confirmed, false, other)
  assert.deepEqual(asked, [])
})
