import { test } from 'node:test'
import {
  accepts,
  body,
  hex,
  nowSeconds,
  refuses,
  request,
  secret,
  source,
} from '../../../../test/on-call/proofs.ts'

const signed = request(body, { 'x-grafana-alerting-signature': hex(secret, body) })

test('the signature header is the one that the contact point sends', async () => {
  const renamed = source({ signatureHeader: 'X-My-Signature' })
  await accepts('grafana', request(body, { 'x-my-signature': hex(secret, body) }), renamed)
  await refuses('grafana', signed, /neither a header X-My-Signature/, renamed)
})

test('with a timestamp header the signed text is the time, a colon and the body', async () => {
  const timed = source({ timestampHeader: 'X-Sent-At' })
  const at = (timestamp: string, between = ':') =>
    request(body, {
      'x-sent-at': timestamp,
      'x-grafana-alerting-signature': hex(secret, timestamp + between, body),
    })
  await accepts('grafana', at(String(nowSeconds)), timed)
  await accepts('grafana', at(String(nowSeconds - 300)), timed)
  await refuses('grafana', at(String(nowSeconds), '.'), /does not match X-Sent-At/, timed)
  await refuses('grafana', at(String(nowSeconds - 301)), /older than five minutes/, timed)
  await refuses('grafana', at(String(nowSeconds + 301)), /future/, timed)
  await refuses('grafana', at('soon'), /Unix seconds/, timed)
  await refuses('grafana', signed, /X-Sent-At is missing/, timed)
  await refuses('grafana', at(String(nowSeconds)), /its name has to be set/)
})

test('a bearer token does as well; beside a wrong signature it does not', async () => {
  const authorization = `Bearer ${secret}`
  const right = hex(secret, body)
  const both = (token: string, signature: string) =>
    request(body, { authorization: token, 'x-grafana-alerting-signature': signature })
  await accepts('grafana', request(body, { authorization }))
  await accepts('grafana', request(body, { authorization }), source({ timestampHeader: 'X-Sent-At' }))
  await accepts('grafana', both(authorization, right))
  await accepts('grafana', both('Basic dXNlcjpwYXNz', right))
  await refuses('grafana', both(authorization, hex('other', body)), /does not match/)
  await refuses('grafana', both(authorization, 'none'), /64 hexadecimal/)
  await refuses('grafana', both('Bearer wrong token', right), /token in the header Authorization/)
  await refuses('grafana', request(body, { 'x-service-token': secret }), /neither/)
})
