import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import fc from 'fast-check'
import { newId } from '../../../infra/ids.ts'
import { entryHash } from '../seals/canonical.ts'
import { asSealed, Concealer, erasedWord, openingsOf, referencesIn, reveal } from './personal.ts'

const at = new Date('2026-11-01T10:00:00Z')
const personId = newId(at)
const workspaceId = newId(at)

const anEntry = (name: string, details: AuditEntry['details']): AuditEntry => ({
  id: newId(at),
  timestamp: at.toISOString(),
  actor: { type: 'human', name, userId: personId },
  team: null,
  runKey: null,
  event: 'workspace_changed',
  result: 'success',
  entity: { type: 'workspace', id: 'w', name: null },
  details,
})

test('whatever an entry says, it is read as it was written, proven with its salts, and sealed without the name', () => {
  const aName = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  const aText = fc.oneof(fc.string(), fc.constant(`personal:${'a'.repeat(43)}`))
  fc.assert(
    fc.property(aName, fc.jsonValue({ maxDepth: 3 }), aText, (name, anything, text) => {
      const entry = anEntry(name, {
        ...{ channel: 'app', anything, text, reason: `Stopped by ${name}: ${text}` },
        origin: { requestId: 'r-1', address: '203.0.113.7', role: 'owner' },
      })
      const concealer = new Concealer()
      const stored = concealer.conceal(workspaceId, entry, [{ id: personId, name }])
      const written = JSON.stringify(stored)
      const { fresh } = concealer
      assert.deepEqual(new Set(referencesIn([written])), new Set(fresh.map(({ ref }) => ref)))
      assert.doesNotMatch(written, /203\.0\.113\.7/)
      assert.ok(!JSON.stringify(stored.details.reason).includes(`by ${name}`))

      const values = new Map(fresh.map(({ ref, value }) => [ref, value]))
      assert.equal(reveal(written, values), JSON.stringify(entry))

      const salts = new Map(fresh.map(({ ref, salt }) => [ref, salt]))
      const seen = JSON.parse(JSON.stringify(entry))
      const again = asSealed(seen, openingsOf(JSON.parse(written), salts))
      assert.deepEqual(entryHash(again), entryHash(JSON.parse(written)))

      const erased = JSON.parse(reveal(written, new Map()))
      assert.equal(erased.actor.name, erasedWord)
      const without = asSealed(erased, openingsOf(JSON.parse(written), new Map()))
      assert.deepEqual(entryHash(without), entryHash(JSON.parse(written)))
    }),
    { numRuns: 200 },
  )
})

test('a value that does not hash to the reference, or has no salt any more, proves nothing', () => {
  const entry = anEntry('Ada', { channel: 'app' })
  const concealer = new Concealer()
  const stored = concealer.conceal(workspaceId, entry, [{ id: personId, name: 'Ada' }])
  const salts = new Map(concealer.fresh.map(({ ref, salt }) => [ref, salt]))
  const forged = { ...entry, actor: { ...entry.actor, name: 'Eve' } }
  assert.notDeepEqual(entryHash(asSealed(forged, openingsOf(stored, salts))), entryHash(stored))
  assert.equal(asSealed(entry, openingsOf(stored, new Map())), null)
  for (const path of [['__proto__', 'name'], ['actor'], ['actor', 'name', 'length'], []])
    assert.equal(asSealed(entry, [{ path, salt: 'A'.repeat(43) }]), null)
})

test('a name is concealed where it is a word, and entries without people stay as they are', () => {
  const concealer = new Concealer()
  const stored = concealer.conceal(
    workspaceId,
    anEntry('Al', { channel: 'app', notes: ['Also fine', 'ask Al.', 'Al', 'Cal', 'a/Al+b'] }),
    [{ id: personId, name: 'Al' }],
  )
  const isConcealed = (stored.details.notes as string[]).map((note) => note.startsWith('personal:'))
  assert.deepEqual(isConcealed, [false, true, true, false, false])
  const service = {
    ...anEntry('Signalbox', { channel: 'schedule' }),
    actor: { type: 'service', name: 'Signalbox', userId: null } as const,
  }
  assert.equal(concealer.conceal(workspaceId, service, []), service)
})
