import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { anySame, base64Bytes, hexBytes, hmacSha256, sameBytes } from './signatures.ts'

const bytes = (text: string) => Buffer.from(text)

test('an HMAC over parts is the HMAC over all of them together, with the secret as its text', () => {
  // RFC 4231, test case 2.
  assert.equal(
    hmacSha256('Jefe', bytes('what do ya want '), 'for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  fc.assert(
    fc.property(fc.string(), fc.array(fc.uint8Array()), (secret, parts) => {
      const whole = createHmac('sha256', secret).update(Buffer.concat(parts)).digest()
      assert.deepEqual(hmacSha256(secret, ...parts.map((part) => Buffer.from(part))), whole)
    }),
  )
})

test('bytes of another length are a plain no', () => {
  assert.equal(sameBytes(bytes('abc'), bytes('abc')), true)
  assert.equal(sameBytes(bytes('abc'), bytes('abd')), false)
  assert.equal(sameBytes(bytes('abc'), bytes('abcd')), false)
  assert.equal(sameBytes(bytes(''), bytes('a')), false)
})

test('one of several is enough, wherever it stands', () => {
  const [a, b, c] = [bytes('aa'), bytes('bb'), bytes('cc')]
  assert.equal(anySame([a, b], [b, c]), true)
  assert.equal(anySame([b, a], [c, b]), true)
  assert.equal(anySame([a], [b, c]), false)
  assert.equal(anySame([], [a]), false)
  assert.equal(anySame([a], []), false)
})

test('hex is read only when it is hex, and of the right length', () => {
  assert.deepEqual(hexBytes('00fF', 2), Buffer.from([0, 255]))
  for (const wrong of ['', '00f', '00ff00', '00fg', ' 0ff', '00ff\n', '0x00'])
    assert.equal(hexBytes(wrong, 2), null)
  fc.assert(
    fc.property(fc.uint8Array(), (array) => {
      const buffer = Buffer.from(array)
      assert.deepEqual(hexBytes(buffer.toString('hex'), buffer.length), buffer)
    }),
  )
})

test('base64 is read only when it is padded base64, and not too long', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (array) => {
      const buffer = Buffer.from(array)
      assert.deepEqual(base64Bytes(buffer.toString('base64'), 64), buffer)
    }),
  )
  for (const wrong of ['a', 'ab', 'abc', 'ab=c', 'ab c', 'ab-_', 'ab==\n', '====', 'A'.repeat(92)])
    assert.equal(base64Bytes(wrong, 64), null, wrong)
})
