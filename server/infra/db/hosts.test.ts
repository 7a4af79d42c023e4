import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachHost, withAllHosts } from './hosts.ts'

test('an address names one host or several, each with a port of its own', () => {
  const several = 'postgres://user:secret@one:5433,two,[::1]:5434/name?sslmode=verify-full'
  assert.deepEqual(eachHost(several), [
    'postgres://user:secret@one:5433/name?sslmode=verify-full',
    'postgres://user:secret@two/name?sslmode=verify-full',
    'postgres://user:secret@[::1]:5434/name?sslmode=verify-full',
  ])
  assert.equal(withAllHosts(eachHost(several)), several)
})

test('a comma in the password or the query is no second host', () => {
  for (const one of [
    'postgres://user:a,b@one/name',
    'postgres://one/name?options=-c%20x,y',
    'postgres://user@localhost/name?host=/run/a,b',
  ]) {
    assert.deepEqual(eachHost(one), [one])
    assert.equal(withAllHosts([one]), one)
  }
})
