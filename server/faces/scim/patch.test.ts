import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../domain/errors.ts'
import { groupPatched } from './groups.ts'
import { groupFilterIn, readPaging, userFilterIn } from './query.ts'
import { newUserIn, userPatched } from './users.ts'

const [a, b, c] = ['a', 'b', 'c'].map((digit) => `0198c1f2-7d3a-7b1e-9a55-00000000000${digit}`) as [
  string,
  string,
  string,
]

const user = {
  ...{ id: a, email: 'ada@example.com', name: 'Ada', userName: 'ada@example.com', externalId: null },
  ...{ givenName: null, familyName: null, displayName: 'Ada', active: true, isProvisioned: true },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
}
const group = {
  ...{ id: c, displayName: 'Staff', externalId: null, role: null },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
  members: [{ value: a, display: 'Ada' }],
}
const patched = (...Operations: object[]) => userPatched(user, { Operations })
const members = (...Operations: object[]) => groupPatched(group, { Operations }).members

/** The word that SCIM has for why something is refused. */
const refusalOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof DomainError ? error.beside.scimType : error
  }
  return undefined
}

test('users are patched as Okta and as Entra do it', () => {
  assert.equal(patched({ op: 'replace', value: { active: false } }).active, false)
  assert.equal(patched({ op: 'Replace', path: 'active', value: 'False' }).active, false)
  assert.equal(patched({ op: 'Add', path: 'active', value: 'True' }).active, true)
  const entra = patched(
    { op: 'Add', path: 'name.givenName', value: 'Ada' },
    { op: 'Replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'Ada L.' },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'else@example.com' },
    {
      op: 'Add',
      path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      value: 'R&D',
    },
    { op: 'Replace', value: { 'name.familyName': 'Lovelace', externalId: 'x-1' } },
  )
  assert.deepEqual(entra, {
    ...{ userName: 'ada@example.com', externalId: 'x-1', givenName: 'Ada', familyName: 'Lovelace' },
    ...{ displayName: 'Ada L.', active: true },
  })
  assert.equal(patched({ op: 'remove', path: 'displayName' }).displayName, null)
  assert.equal(
    refusalOf(() => patched({ op: 'replace', path: 'active', value: 'maybe' })),
    'invalidValue',
  )
  assert.equal(
    refusalOf(() => patched({ op: 'remove', path: 'userName' })),
    'mutability',
  )
  assert.equal(
    refusalOf(() => patched({ op: 'remove' })),
    'noTarget',
  )
  assert.equal(
    refusalOf(() => patched({ op: 'move', path: 'active' })),
    'invalidSyntax',
  )
  assert.equal(
    refusalOf(() => patched({ op: 'replace', path: 'emails[[', value: 1 })),
    'invalidPath',
  )
  assert.equal(
    refusalOf(() => patched()),
    'invalidSyntax',
  )
})

test('groups are patched as Okta and as Entra do it', () => {
  assert.deepEqual(members({ op: 'Add', path: 'members', value: [{ value: b }] }), [a, b])
  assert.deepEqual(members({ op: 'Remove', path: 'members', value: [{ value: a }] }), [])
  assert.deepEqual(members({ op: 'remove', path: `members[value eq "${a}"]` }), [])
  assert.deepEqual(members({ op: 'replace', path: 'members', value: [{ value: b }] }), [b])
  assert.deepEqual(members({ op: 'remove', path: 'members' }), [])
  const renamed = groupPatched(group, {
    Operations: [{ op: 'replace', value: { id: c, displayName: 'All' } }],
  })
  assert.deepEqual(renamed, { displayName: 'All', externalId: null, members: [a] })
  assert.equal(
    refusalOf(() => members({ op: 'remove', path: 'members[display eq "x"]' })),
    'invalidFilter',
  )
  assert.equal(
    refusalOf(() => members({ op: 'add', path: 'members', value: ['x'] })),
    'invalidValue',
  )
})

test('a new user signs in with the primary address, and a list is read from where it is asked', () => {
  const work = { value: 'work@example.com', type: 'work' }
  const primary = { value: 'first@example.com', primary: 'True' }
  const emailOf = (emails: unknown, userName = 'upn@example.com') => newUserIn({ userName, emails }).email
  assert.equal(emailOf([work, primary]), 'first@example.com')
  assert.equal(emailOf([{ value: 'home@example.com' }, work]), 'work@example.com')
  assert.equal(emailOf(undefined), 'upn@example.com')
  assert.equal(
    refusalOf(() => emailOf([], 'ada')),
    'invalidValue',
  )
  assert.deepEqual(readPaging({ startIndex: '0', count: '5000' }), { offset: 0, most: 200 })
  assert.deepEqual(readPaging({ startIndex: '11', count: '-1' }), { offset: 10, most: 0 })
})

test('filters are read as Okta and as Entra send them', () => {
  const users = (filter: string) => userFilterIn({ filter })
  assert.deepEqual(users('userName eq "a\\"b"'), { userName: 'a"b' })
  assert.deepEqual(users('urn:ietf:params:scim:schemas:core:2.0:User:userName Eq "a"'), { userName: 'a' })
  for (const emails of ['emails', 'emails.value', 'emails[type eq "work"].value'])
    assert.deepEqual(users(`${emails} eq "a@example.com"`), { email: 'a@example.com' })
  assert.deepEqual(users(`userName eq "a and b" AND externalId eq "x"`), {
    userName: 'a and b',
    externalId: 'x',
  })
  // No one has what we do not store, and no one has two values of one attribute.
  const manager = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager'
  const { id: noOne } = users(`id eq "${a}" and ${manager} eq "${b}"`)
  assert.match(noOne!, /^[0-]+$/)
  for (const other of [`id eq "${a}" and id eq "${b}"`, 'id eq "x"', 'nickName eq "Ada"'])
    assert.equal(users(other).id, noOne, other)
  assert.deepEqual(groupFilterIn({ filter: 'displayName eq "Staff"' }), { displayName: 'Staff' })
  const wrong = [
    'userName sw "a"',
    'userName eq a',
    'userName eq "a" or id eq "b"',
    'userName eq "a" and',
    '',
    'active eq true',
  ]
  for (const other of wrong)
    assert.equal(
      refusalOf(() => users(other)),
      'invalidFilter',
      other,
    )
})
