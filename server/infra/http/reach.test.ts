import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublic } from './public-address.ts'
import { allowList, guard, hostOf } from './reach.ts'

const nobody = async (): Promise<never> => assert.fail('an address needs no name server')

const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
/** Half of them somewhere, half where it hurts. */
const ipv4 = fc.oneof(
  bytes,
  fc.tuple(
    fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224),
    fc.nat(255),
    fc.nat(255),
    fc.nat(255),
  ),
)

/** The same address of IPv4, as a URL may write it. */
const spellings: Record<string, (address: [number, number, number, number]) => string> = {
  dotted: ([a, b, c, d]) => `${a}.${b}.${c}.${d}`,
  'with a dot at its end': ([a, b, c, d]) => `${a}.${b}.${c}.${d}.`,
  decimal: (address) => String(whole(address)),
  hexadecimal: (address) => `0x${whole(address).toString(16)}`,
  octal: (address) => `0${whole(address).toString(8)}`,
  'each part on its own': ([a, b, c, d]) => `0x${a.toString(16)}.0${b.toString(8)}.${c}.0x${d.toString(16)}`,
  'in three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'in two parts': ([a, b, c, d]) => `${a}.${b * 65_536 + c * 256 + d}`,
  'in wide digits': ([a, b, c, d]) =>
    `${a}.${b}.${c}.${d}`.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
}

const whole = ([a, b, c, d]: readonly number[]) => ((a! * 256 + b!) * 256 + c!) * 256 + d!

for (const [name, spelling] of Object.entries(spellings))
  test(`an address of IPv4 is judged by what it is, written ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(ipv4, async (address) => {
        const dotted = address.join('.')
        const reached = await guard([], nobody)(new URL(`http://${spelling(address)}/`))
        assert.deepEqual(reached, isPublic(dotted) ? [{ address: dotted, family: 4 }] : 'not public')
      }),
    )
  })

test('an address of IPv4 in one of IPv6 is never reached', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom('::ffff:', '::', '64:ff9b::'), async (address, prefix) => {
      for (const host of [
        `${prefix}${address.join('.')}`,
        `${prefix}${(whole(address) >>> 16).toString(16)}:${(whole(address) & 0xffff).toString(16)}`,
      ])
        assert.equal(await guard([], nobody)(new URL(`http://[${host}]/`)), 'not public', host)
    }),
  )
})

test('a name is as good as the worst of its addresses, and it is asked for once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ipv4, { minLength: 1, maxLength: 4 }), async (found) => {
      const addresses = found.map((address) => ({ address: address.join('.'), family: 4 }))
      let questions = 0
      const reached = await guard([], async () => {
        questions += 1
        return addresses
      })(new URL('https://shop.example.com/'))
      assert.equal(questions, 1)
      assert.deepEqual(
        reached,
        addresses.every(({ address }) => isPublic(address)) ? addresses : 'not public',
      )
    }),
  )
  assert.equal(await guard([], async () => [])(new URL('https://empty.example.com/')), 'no address')
})

test('what the operator allows is reached, and nothing beside it', async () => {
  const inside = [{ address: '10.20.0.7', family: 4 }]
  const url = new URL('http://Status.Internal.:8080/')
  for (const allow of [['status.internal'], ['status.internal:8080'], ['10.20.0.0/16'], ['10.20.0.7']])
    assert.deepEqual(await guard(allow, async () => inside)(url), inside, allow.join())
  for (const allow of [[], ['internal'], ['status'], ['status.internal:80'], ['10.21.0.0/16'], ['10.20.0.8']])
    assert.equal(await guard(allow, async () => inside)(url), 'not public', allow.join())
  const local = guard(['127.0.0.1:8080'])
  assert.deepEqual(await local(new URL('http://127.0.0.1:8080/')), [{ address: '127.0.0.1', family: 4 }])
  for (const other of ['http://127.0.0.1:8081/', 'http://127.0.0.1/', 'https://127.0.0.1/'])
    assert.equal(await local(new URL(other)), 'not public', other)
  const list = allowList(['git.internal', '::1'])
  assert.deepEqual([list.hasHost('git.internal'), list.hasHost('::1')], [true, false])
  assert.deepEqual([list.hasAddress('::1'), list.hasAddress('git.internal')], [true, false])
})

test('a host is known by its name alone', () => {
  for (const [url, host] of [
    ['https://me:hunter2@Shop.Example.com.:8443/path?key=1', 'shop.example.com'],
    ['http://[::1]:80/', '::1'],
    ['ssh://GIT.internal/x', 'git.internal'],
  ] as const)
    assert.equal(hostOf(new URL(url)), host)
})
