import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutAt, LogBuffer, LogSearch } from './log-buffer.ts'

const piece = (from: number, lines: string[], attempt = 1, at = '2026-03-02T12:00:00.000Z') => ({
  from,
  attempt,
  at,
  lines,
})

test('pieces follow each other, and what comes twice is there once', () => {
  const buffer = new LogBuffer()
  buffer.append(piece(1, ['a', 'b']))
  buffer.append(piece(1, ['a', 'b']))
  buffer.append(piece(2, ['b', 'c', 'd']))
  assert.deepEqual(buffer.lines, ['a', 'b', 'c', 'd'])
  buffer.append(piece(9, ['after a gap']))
  assert.equal(buffer.count, 4)
})

test('colours are known by the number of their line, also of a piece that comes twice', () => {
  const buffer = new LogBuffer()
  buffer.append({ ...piece(1, ['a', 'b']), colours: { 1: '0+1r' } })
  buffer.append({ ...piece(2, ['b', 'c']), colours: { 0: '0+1r', 1: '0+1g*' } })
  assert.deepEqual(
    [...buffer.colours],
    [
      [2, '0+1r'],
      [3, '0+1g*'],
    ],
  )
})

test('the array of lines grows in place', () => {
  const buffer = new LogBuffer()
  const { lines } = buffer
  buffer.append(piece(1, ['a']))
  assert.equal(buffer.lines, lines)
})

test('a line knows its attempt and its time', () => {
  const buffer = new LogBuffer()
  buffer.append(piece(1, ['a', 'b'], 1, 'first'))
  buffer.append(piece(3, ['c'], 2, 'second'))
  buffer.append(piece(3, ['c', 'd'], 2, 'third'))
  assert.deepEqual(
    [1, 2, 3, 4].map((position) => buffer.originOf(position)!.at),
    ['first', 'first', 'second', 'third'],
  )
  assert.equal(buffer.originOf(4)!.attempt, 2)
  assert.equal(new LogBuffer().originOf(1), undefined)
})

test('a search grows with the log, and goes around', () => {
  const lines = ['Error one', 'fine', 'an error']
  const search = new LogSearch('ERROR')
  search.extend(lines)
  lines.push('error again')
  search.extend(lines)
  assert.deepEqual(search.found, [1, 3, 4])
  assert.deepEqual(
    [search.next(null, 1), search.next(1, 1), search.next(2, 1), search.next(4, 1)],
    [1, 3, 3, 1],
  )
  assert.deepEqual([search.next(null, -1), search.next(3, -1), search.next(1, -1)], [4, 1, 4])
  const nothing = new LogSearch('')
  nothing.extend(lines)
  assert.equal(nothing.next(null, 1), null)
})

test('a line is cut where it holds the text', () => {
  assert.deepEqual(cutAt('an Error, an error', 'error'), ['an ', 'Error', ', an ', 'error', ''])
  assert.deepEqual(cutAt('none', 'error'), ['none'])
  assert.deepEqual(cutAt('İstanbul error', 'error'), ['İstanbul error'])
})
