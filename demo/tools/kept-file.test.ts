import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { keptFile } from './kept-file.ts'

test('kept many times at once, none fails, and the last state stays', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-kept-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'tool.json')
  let state = 0
  const keep = keptFile(file, () => `${state}`)
  const keeping: Promise<void>[] = []
  for (state = 1; state <= 20; state += 1) keeping.push(keep())
  await Promise.all(keeping)
  assert.equal(await readFile(file, 'utf8'), '21')
  assert.deepEqual(await readdir(folder), ['tool.json'])
})

test('one that could not be written is tried again by the next', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-kept-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'tool.json')
  let words: string | null = null
  const keep = keptFile(file, () => words ?? assert.fail('nothing yet'))
  await assert.rejects(keep(), /nothing yet/)
  words = 'something'
  await keep()
  assert.equal(await readFile(file, 'utf8'), 'something')
})
