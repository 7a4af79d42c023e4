import { describe, test } from 'node:test'
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

test('the scheme in front of the generic signature is part of it', async () => {
  const signature = hex(secret, body)
  for (const value of [signature, `SHA256=${signature}`, `sha1=${signature}`, `v1=${signature}`])
    await refuses('generic', request(body, { 'x-service-signature': value }), /sha256=<64/)
})

describe('the generic timestamp', () => {
  const stamped = (timestamp: string, signedText = `${timestamp}.`) =>
    request(body, {
      'x-service-timestamp': timestamp,
      'x-service-signature': `sha256=${hex(secret, signedText, body)}`,
    })

  test('a request of exactly five minutes ago, or ahead, is accepted; a second more is not', async () => {
    for (const seconds of [0, 1, -1, 299, -299, 300, -300])
      await accepts('generic', stamped(String(nowSeconds + seconds)))
    await refuses('generic', stamped(String(nowSeconds - 301)), /older than five minutes/)
    await refuses('generic', stamped(String(nowSeconds + 301)), /future/)
    const later = (ms: number) => new Date(nowSeconds * 1000 + ms)
    await accepts('generic', stamped(String(nowSeconds)), source(), later(300_999))
    await refuses('generic', stamped(String(nowSeconds)), /older/, source(), later(301_000))
  })

  test('a signature that leaves the timestamp out is refused', async () => {
    await refuses('generic', stamped(String(nowSeconds), ''), /timestamp, a dot and the body/)
    await refuses('generic', stamped(String(nowSeconds), `${nowSeconds}:`), /a dot/)
    await refuses('generic', stamped(String(nowSeconds), `${nowSeconds - 1}.`), /a dot/)
  })

  test('a signature with a timestamp does not hold without it', async () => {
    const { headers } = stamped(String(nowSeconds))
    await refuses(
      'generic',
      request(body, { ...headers, 'x-service-timestamp': undefined }),
      /does not match/,
    )
  })

  test('what is not a number of seconds is refused', async () => {
    const exact = String(nowSeconds)
    for (const timestamp of [
      '',
      ' ',
      `${exact}.0`,
      `${exact} `,
      `+${exact}`,
      `-${exact}`,
      '1e9',
      '0x10',
      'now',
      '9'.repeat(13),
      `${exact}, ${exact}`,
    ])
      await refuses('generic', stamped(timestamp), /Unix seconds/)
    await refuses('generic', stamped(`${exact}000`), /Unix seconds|future/)
    const { headers } = stamped(exact)
    await refuses(
      'generic',
      request(body, { ...headers, 'x-service-timestamp': [exact, exact] }),
      /Unix seconds/,
    )
  })

  test('a source can require it', async () => {
    const strict = source({ timestamp: 'required' })
    await accepts('generic', stamped(String(nowSeconds)), strict)
    await refuses(
      'generic',
      request(body, { 'x-service-signature': `sha256=${hex(secret, body)}` }),
      /X-Service-Timestamp is missing/,
      strict,
    )
  })
})
