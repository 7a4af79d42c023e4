import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTexts, withTexts } from './event-texts.ts'
import { RunnerEvent } from './messages.ts'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** Where in a shape there is text, other than its type. */
function textsIn(schema: Schema, place = ''): string[] {
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((one) => textsIn(one, place)))]
  if (schema.type === 'array') return textsIn(schema.items!, `${place}[]`)
  if (schema.type === 'string' || schema.enum) return place === 'type' ? [] : [place]
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    textsIn(one, place === '' ? name : `${place}.${name}`),
  )
}

test('of every text of every event it is decided what it is, and of nothing else', () => {
  const events = (RunnerEvent as Schema).anyOf!
  assert.deepEqual(
    events.map(({ properties }) => properties!.type!.const).toSorted(),
    Object.keys(eventTexts).toSorted(),
  )
  for (const event of events) {
    const type = event.properties!.type!.const as keyof typeof eventTexts
    assert.deepEqual(Object.keys(eventTexts[type]).toSorted(), textsIn(event).toSorted(), type)
  }
})

test('texts are changed by what they are, and nothing else is', () => {
  const event = {
    type: 'gates_ran',
    gates: [{ name: 'unit', result: 'passed', summary: 'fine' }],
    evidence: { commit: 'abc', criteria: [], changes: { files: 1, paths: ['a/b'] }, demonstration: null },
  }
  assert.deepEqual(
    withTexts(event, (text, kind) => `${kind} ${text}`),
    {
      type: 'fact gates_ran',
      gates: [{ name: 'name unit', result: 'fact passed', summary: 'text fine' }],
      evidence: {
        ...{ commit: 'fact abc', criteria: [], demonstration: null },
        changes: { files: 1, paths: ['fact a/b'] },
      },
    },
  )
})

test('what no one has decided on is text: a secret in it is masked', () => {
  const seen: string[] = []
  withTexts({ type: 'dreamt', of: ['sheep'] }, (text, kind) => {
    seen.push(kind)
    return text
  })
  assert.deepEqual(seen, ['fact', 'text'])
})
