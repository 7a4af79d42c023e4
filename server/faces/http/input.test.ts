import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionAnswer } from '@signalbox/contract/decision.ts'
import { nullable, oneOf } from '@signalbox/contract/shapes.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { bodyReader, queryReader } from './input.ts'

const closed = { additionalProperties: false }
const Order = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 5, description: 'what it is called' }),
    size: Type.Optional(oneOf(['small', 'large'])),
    note: Type.Optional(nullable(Type.String({ maxLength: 3 }))),
    lines: Type.Optional(
      Type.Array(Type.Object({ key: Type.String(), count: Type.Integer({ minimum: 1 }) }, closed)),
    ),
  },
  closed,
)

const sent = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  ({ body: Buffer.from(JSON.stringify(body)), headers }) as unknown as FastifyRequest

const bodies: [unknown, string][] = [
  [[], 'The body must be a JSON object with name, size, note, lines.'],
  [{ name: 'a', colour: 1 }, 'There is no field `colour` here. Known: name, size, note, lines.'],
  [{ note: 'x' }, '`name` is missing: what it is called.'],
  [{ name: 1 }, '`name` must be a string.'],
  [{ name: '' }, '`name` is empty.'],
  [{ name: '🚂🚂🚂🚂🚂🚂' }, '`name` has 6 characters; the most is 5.'],
  [{ name: 'a\0' }, '`name` contains a NUL character.'],
  [{ name: 'a\ud800' }, '`name` contains half a character (a lone surrogate).'],
  [{ name: 'a', note: 7 }, '`note` must be a string or null.'],
  [{ name: 'a', note: 'long' }, '`note` has 4 characters; the most is 3.'],
  [{ name: 'a', size: 'huge' }, '`size` must be one of small, large.'],
  [{ name: 'a', lines: [{ key: 'k' }] }, '`lines.0.count` is missing.'],
  [
    { name: 'a', lines: [{ key: 'k', count: 1, more: 1 }] },
    'There is no field `lines.0.more` here. Known: key, count.',
  ],
  [{ name: 'a', lines: 'k' }, '`lines` must be a list.'],
  [{ name: 'a', lines: ['k'] }, '`lines.0` must be an object.'],
  [{ name: 'a', lines: [{ key: 'k', count: 'two' }] }, '`lines.0.count` must be a whole number.'],
  [{ name: 'a', lines: [{ key: 'k', count: 0 }] }, '`lines.0.count` must be 1 or more.'],
  [{ name: 'a', lines: [{ key: 'a\0', count: 1 }] }, '`lines.0.key` contains a NUL character.'],
]

for (const [body, message] of bodies) {
  test(`a body: ${message}`, () => {
    assert.throws(() => bodyReader(Order)(sent(body)), { code: 'invalid_request', message })
  })
}

test('a body that fits is taken as it is, a pair of surrogates counting as one character', () => {
  const order = { name: '🚂🚂🚂🚂🚂', note: null, lines: [{ key: 'k', count: 2 }] }
  assert.deepEqual(bodyReader(Order)(sent(order)), order)
  const answer = { optionId: 'approve', note: '🚂'.repeat(4_000) }
  assert.deepEqual(bodyReader(DecisionAnswer)(sent(answer)), answer)
})

test('a body is JSON, UTF-8 and uncompressed', () => {
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ])
    assert.throws(() => bodyReader(Order)(sent({ name: 'a' }, headers as Record<string, string>)), {
      code: 'unsupported_media_type',
    })
})

const query = queryReader(
  Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    drafts: Type.Optional(Type.Boolean()),
    size: Type.Optional(oneOf(['small', 'large'])),
    team: Type.Optional(Type.String({ pattern: '^[a-z]+$', examples: ['web'] })),
  }),
)

const queries: [Record<string, unknown>, string, string][] = [
  [{ limit: '0' }, 'invalid_parameter', '`limit` must be a whole number, 1 or more.'],
  [{ limit: '1e3' }, 'invalid_parameter', '`limit` must be a whole number, 1 or more.'],
  [{ limit: ['1', '2'] }, 'invalid_parameter', '`limit` is given more than once.'],
  [{ drafts: 'yes' }, 'invalid_parameter', '`drafts` must be true or false.'],
  [{ size: '' }, 'invalid_parameter', '`size` must be one of small, large.'],
  [{ team: 'WEB' }, 'invalid_parameter', '`team` must look like web.'],
  [{ team: 'a'.repeat(201) }, 'invalid_parameter', '`team` must look like web.'],
  [{ team: '\0' }, 'invalid_parameter', '`team` contains a NUL character.'],
  [
    { constructor: '1' },
    'unknown_parameter',
    'There is no parameter `constructor` here. Known: limit, drafts, size, team.',
  ],
]

for (const [raw, code, message] of queries) {
  test(`a query: ${message.slice(0, 60)} (${JSON.stringify(raw).slice(0, 30)})`, () => {
    assert.throws(() => query(raw), { code, message })
  })
}

test('a query’s values are what their texts stand for', () => {
  assert.deepEqual(query({ limit: '25', drafts: 'false', size: 'small', team: 'web' }), {
    limit: 25,
    drafts: false,
    size: 'small',
    team: 'web',
  })
})
