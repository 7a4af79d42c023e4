import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCertificateUrl, aTopicArn } from '../../../../../test/on-call/sns.ts'
import { certificateUrl } from './certificate-url.ts'
import { confirmationUrl } from './confirmation-url.ts'
import { readTopic } from './topic.ts'

const file = 'SimpleNotificationService-0123456789abcdef0123456789abcdef.pem'

test('a certificate is fetched from a host of SNS', () => {
  for (const region of ['us-east-1', 'eu-central-1', 'ap-southeast-3', 'us-gov-west-1', 'me-south-1'])
    assert.equal(certificateUrl(`https://sns.${region}.amazonaws.com/${file}`)?.pathname, `/${file}`)
  const china = `https://sns.cn-northwest-1.amazonaws.com.cn/${file}`
  assert.equal(certificateUrl(china)?.href, china)
})

test('every other address is refused', () => {
  const host = 'sns.us-east-1.amazonaws.com'
  const refused = [
    '',
    'sns',
    `http://${host}/${file}`,
    `ftp://${host}/${file}`,
    `HTTPS://${host}/${file}`,
    `https:${host}/${file}`,
    `https:\\\\${host}\\${file}`,
    ` https://${host}/${file}`,
    `https://${host}/${file}\n`,
    `https://sns.us-\teast-1.amazonaws.com/${file}`,
    `https://SNS.us-east-1.amazonaws.com/${file}`,
    `https://${host}./${file}`,
    `https://${host}:443/${file}`,
    `https://${host}:8443/${file}`,
    `https://user@${host}/${file}`,
    `https://user:pass@${host}/${file}`,
    `https://@${host}/${file}`,
    `https://${host}@example.com/${file}`,
    `https://${host}/${file}?`,
    `https://${host}/${file}?x=1`,
    `https://${host}/${file}#`,
    `https://${host}/${file}#x`,
    `https://${host}/x/../${file}`,
    `https://${host}//${file}`,
    `https://${host}/x/${file}`,
    `https://${host}/%53${file.slice(1)}`,
    `https://${host}/${file.replace('.pem', '.crt')}`,
    `https://${host}/${file.replace('0', '')}`,
    `https://${host}/${file.replace('0', 'g')}`,
    `https://${host}/`,
    // A bucket, a website and a host name that anyone could own.
    `https://sns.s3-us-west-2.amazonaws.com/${file}`,
    `https://sns.s3.amazonaws.com/${file}`,
    `https://sns.s3-website-us-east-1.amazonaws.com/${file}`,
    `https://s3.us-east-1.amazonaws.com/${file}`,
    `https://sns.us-east-1.elb.amazonaws.com/${file}`,
    `https://sns.us-east-1.amazonaws.com.example.com/${file}`,
    `https://sns.us-east-1.amazonaws.com.co/${file}`,
    `https://sns.us-east-1.amazonaws.org/${file}`,
    `https://evil-sns.us-east-1.amazonaws.com/${file}`,
    `https://x.sns.us-east-1.amazonaws.com/${file}`,
    `https://sns.amazonaws.com/${file}`,
    `https://sns..amazonaws.com/${file}`,
    `https://sns.us-east-1xamazonaws.com/${file}`,
    `https://127.0.0.1/${file}`,
    `https://[::1]/${file}`,
  ]
  for (const url of refused) assert.equal(certificateUrl(url), null, url)
})

test('a topic tells its region and its host', () => {
  assert.deepEqual(readTopic(aTopicArn), {
    arn: aTopicArn,
    partition: 'aws',
    region: 'eu-central-1',
    host: new URL(aCertificateUrl).hostname,
  })
  assert.equal(
    readTopic('arn:aws-cn:sns:cn-north-1:123456789012:alarms')?.host,
    'sns.cn-north-1.amazonaws.com.cn',
  )
  assert.equal(
    readTopic('arn:aws-us-gov:sns:us-gov-east-1:123456789012:a.fifo')?.host,
    'sns.us-gov-east-1.amazonaws.com',
  )
  for (const arn of [
    '',
    'arn:aws:sqs:eu-central-1:123456789012:alarms',
    'arn:aws:sns:eu-central-1:12345:alarms',
    'arn:aws:sns:eu-central-1:123456789012:',
    'arn:aws:sns:eu-central-1:123456789012:alarms:6e8ae9aa-983b-4a47-9821-f02a4ef3a519',
    'arn:aws:sns:eu-central-1.example.com/:123456789012:alarms',
    'arn:aws:sns:s3-us-west-2:123456789012:alarms',
    'arn:aws:sns:cn-north-1:123456789012:alarms',
    'arn:aws-cn:sns:eu-central-1:123456789012:alarms',
    'arn:aws-else:sns:eu-central-1:123456789012:alarms',
    `${aTopicArn}\n`,
    ` ${aTopicArn}`,
  ])
    assert.equal(readTopic(arn), null, arn)
})

test('a confirmation goes to the host of the topic, with the topic and the token', () => {
  const url = confirmationUrl({ topicArn: aTopicArn, token: 'a1'.repeat(128) })!
  assert.equal(url.origin + url.pathname, 'https://sns.eu-central-1.amazonaws.com/')
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    Action: 'ConfirmSubscription',
    TopicArn: aTopicArn,
    Token: 'a1'.repeat(128),
  })
  const china = confirmationUrl({ topicArn: 'arn:aws-cn:sns:cn-north-1:123456789012:alarms', token: 'a1' })
  assert.equal(china?.hostname, 'sns.cn-north-1.amazonaws.com.cn')
})

test('nothing but a topic and a token becomes a confirmation', () => {
  for (const topicArn of ['', 'https://example.com/', 'arn:aws:sns:x@example.com/:123456789012:a'])
    assert.equal(confirmationUrl({ topicArn, token: 'a1' }), null)
  for (const token of ['', 'a b', 'a&Action=Unsubscribe', 'a\nb', 'a'.repeat(1025)])
    assert.equal(confirmationUrl({ topicArn: aTopicArn, token }), null)
})
