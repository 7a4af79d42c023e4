import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { accepts, body, hex, refuses, request, secret, source } from '../../../../test/on-call/proofs.ts'

const right = `v1=${hex(secret, body)}`
const wrong = `v1=${hex('another', body)}`
const signed = (value: string) => request(body, { 'x-pagerduty-signature': value })

test('one good signature among several is enough; other versions are passed over', async () => {
  for (const value of [`${wrong},${right}`, `${right}, ${wrong}`, `v2=abc,${right},v1=,,v1`])
    await accepts('pagerduty', signed(value))
  await refuses('pagerduty', signed(`${wrong},${wrong}`), /No signature/)
  await refuses('pagerduty', signed(right.replace('v1', 'v2')), /v1=/)
})

const payloads = process.env.SIGNALBOX_PAYLOADS
const recorded = payloads ? path.join(payloads, 'pagerduty') : ''

test('recorded deliveries of PagerDuty are proven', { skip: !existsSync(recorded) }, async () => {
  let proven = 0
  for (const file of readdirSync(recorded).filter((name) => name.endsWith('.expect.json'))) {
    const { signature } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8'))
    if (!signature) continue
    const sent = readFileSync(path.join(recorded, file.replace('.expect.json', '.json')))
    const headers = { [signature.header.toLowerCase()]: signature.value }
    await accepts('pagerduty', request(sent, headers), source({}, [signature.secret]))
    await refuses('pagerduty', request(sent, headers), /No signature/)
    proven += 1
  }
  assert.ok(proven > 0)
})
