import { test } from 'node:test'
import { accepts, body, refuses, request, secret, source } from '../../../../test/on-call/proofs.ts'
import type { Delivered } from '../reading/reading.ts'

const given = (headers: Delivered['headers']) => request(body, headers)
const authorization = `Bearer ${secret}`

test('nothing but the scheme is read leniently', async () => {
  for (const value of [
    `Bearer  ${secret}`,
    ` ${authorization}`,
    `${authorization} `,
    `Bearer\t${secret}`,
    `Bearer${secret}`,
    'Bearer',
    'Bearer ',
    secret,
    `Basic ${secret}`,
    `Bearer "${secret}"`,
    `${authorization}, ${authorization}`,
  ])
    await refuses('alertmanager', given({ authorization: value }), /Authorization/)
  for (const value of [
    `${secret} `,
    ` ${secret}`,
    '',
    secret.toUpperCase(),
    `Bearer ${secret}`,
    `${secret}, ${secret}`,
  ])
    await refuses('datadog', given({ 'x-service-token': value }), /X-Service-Token/)
})

test('of two, both have to be right', async () => {
  await accepts('newrelic', given({ authorization, 'x-service-token': secret }))
  await refuses('newrelic', given({ authorization, 'x-service-token': 'wrong' }), /X-Service-Token/)
  await refuses(
    'newrelic',
    given({ authorization: 'Bearer wrong', 'x-service-token': secret }),
    /Authorization/,
  )
  await refuses('newrelic', given({ authorization: [authorization, authorization] }), /twice/)
  await refuses('newrelic', given({ 'x-service-token': [secret, secret] }), /twice/)
  await accepts('newrelic', given({ authorization: 'Basic dXNlcjpwYXNz', 'x-service-token': secret }))
})

test('a secret beyond ASCII is compared by its bytes, which Node reads as Latin-1', async () => {
  const key = 'schlüssel – 鍵'
  const wire = Buffer.from(key).toString('latin1')
  await accepts('opsgenie', given({ authorization: `Bearer ${wire}` }), source({}, [key]))
  await accepts('statuspage', request(body, {}, { key }), source({}, [key]))
})
