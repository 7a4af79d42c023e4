import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { curlFor } from './curl.ts'

const url = 'https://signalbox.example.com/signals/abc'
const secret = 'sixteen-characters-at-least'

/** What the command would send: a shell runs all of it, with a curl that prints what it was given. */
function sentBy(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\ndate() { echo 1700000000; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
}

const signature = (text: string) => createHmac('sha256', secret).update(text).digest('hex')

describe('the command that tries a source', () => {
  test('signs the body with the time in front, for one’s own scripts', () => {
    const sent = sentBy(curlFor('generic', { url, secret, settings: {} })!)
    assert.ok(sent.includes('X-Service-Timestamp: 1700000000'))
    assert.ok(sent.includes(`X-Service-Signature: sha256=${signature(`1700000000.${sent.at(-1)}`)}`))
  })

  test('signs as the contact point does, under the header that it has by itself', () => {
    const sent = sentBy(curlFor('grafana', { url, secret, settings: {} })!)
    assert.ok(sent.includes(`X-Grafana-Alerting-Signature: ${signature(sent.at(-1)!)}`))
  })

  test('signs under the headers that the settings name', () => {
    const settings = { signatureHeader: 'X-Sign', timestampHeader: 'X-Time' }
    const sent = sentBy(curlFor('grafana', { url, secret, settings })!)
    assert.ok(sent.includes('X-Time: 1700000000'))
    assert.ok(sent.includes(`X-Sign: ${signature(`1700000000:${sent.at(-1)}`)}`))
  })

  test('puts the key into the address where nothing else can be given', () => {
    const sent = sentBy(curlFor('azure_monitor', { url, secret, settings: {} })!)
    assert.ok(sent.includes(`${url}?key=${secret}`))
  })

  test('is not there where only the sender can sign', () => {
    assert.equal(curlFor('cloudwatch', { url, secret, settings: {} }), null)
  })
})
