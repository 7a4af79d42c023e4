import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import { certificatesOf } from '../../../test/on-call/sns.ts'
import { proofsWith, senders } from './index.ts'
import type { Delivered } from './reading/reading.ts'
import { commandOf } from './sender/command.ts'

const url = 'https://signalbox.example.com/signals/abc'
const secret = 'sixteen-characters-at-least'
const now = new Date(1_700_000_000_000)

/** What the command would send: a shell runs all of it, with a curl that prints what it was given. */
function sentBy(kind: SenderKind, settings: Record<string, string> = {}): string[] {
  const command = commandOf(senders[kind], settings)!
  const script = `URL='${url}'\nSECRET='${secret}'\ncurl() { printf '%s\\n' "$@"; }\ndate() { echo 1700000000; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
}

/** The same as the intake sees it. */
function deliveredBy(sent: string[]): Delivered {
  const headers = sent.filter((_, position) => sent[position - 1] === '-H').map((line) => line.split(': ', 2))
  const address = new URL(sent.find((line) => line.startsWith(url))!)
  return {
    body: Buffer.from(sent.at(-1)!),
    headers: Object.fromEntries(headers.map(([name, value]) => [name!.toLowerCase(), value])),
    query: Object.fromEntries(address.searchParams),
  }
}

const signature = (text: string) => createHmac('sha256', secret).update(text).digest('hex')

describe('the command that tries a source', () => {
  const proofs = proofsWith(certificatesOf())
  for (const { kind, proving, format } of Object.values(senders).filter((one) => !one.proving.alone))
    test(`is proven as ${kind} proves itself, and opens nothing`, async () => {
      assert.ok(proving.shell)
      const delivered = deliveredBy(sentBy(kind))
      assert.deepEqual(await proofs[kind](delivered, { secrets: [secret], settings: {} }, now), {
        proven: true,
      })
      const { alerts, test: isTest, problem } = format(delivered)
      assert.equal(problem, null)
      assert.ok(isTest || alerts.every((alert) => alert.status === 'resolved'))
    })

  test('signs the body with the time in front, for one’s own scripts', () => {
    const sent = sentBy('generic')
    assert.ok(sent.includes('X-Service-Timestamp: 1700000000'))
    assert.ok(sent.includes(`X-Service-Signature: sha256=${signature(`1700000000.${sent.at(-1)}`)}`))
  })

  test('signs as the contact point does, under the header that it has by default', () => {
    const sent = sentBy('grafana')
    assert.ok(sent.includes(`X-Grafana-Alerting-Signature: ${signature(sent.at(-1)!)}`))
  })

  test('signs under the headers that the settings name', () => {
    const sent = sentBy('grafana', { signatureHeader: 'X-Sign', timestampHeader: 'X-Time' })
    assert.ok(sent.includes('X-Time: 1700000000'))
    assert.ok(sent.includes(`X-Sign: ${signature(`1700000000:${sent.at(-1)}`)}`))
  })

  test('puts the key into the address where nothing else can be given', () => {
    assert.ok(sentBy('azure_monitor').includes(`${url}?key=${secret}`))
  })

  test('is not there where only the sender can sign', () => {
    assert.equal(commandOf(senders.cloudwatch, {}), null)
  })
})
