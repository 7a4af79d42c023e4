import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { copyTemplate } from './template.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-template-'))
after(() => rm(folder, { recursive: true, force: true }))

test('new data folders, filled at the same moment, are each whole, and closed to others', async () => {
  const copies = ['one', 'two'].map((name) => path.join(folder, name))
  await Promise.all(copies.map(copyTemplate))
  for (const copy of copies) {
    assert.deepEqual((await readdir(copy)).sort(), ['postgres', 'postgres.password', 'secret.key'])
    const cluster = path.join(copy, 'postgres')
    assert.equal((await stat(cluster)).mode & 0o077, 0)
    assert.match(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8'), /^\d+\n$/)
    assert.ok(!(await readdir(cluster)).includes('postmaster.pid'), 'nobody serves from it yet')
  }
})

test('a data folder that holds anything is left as it is', async () => {
  await writeFile(path.join(folder, 'secret.key'), 'mine')
  const before = await readdir(folder)
  await copyTemplate(folder)
  assert.deepEqual(await readdir(folder), before)
  assert.equal(await readFile(path.join(folder, 'secret.key'), 'utf8'), 'mine')
})
