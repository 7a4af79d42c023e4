import assert from 'node:assert/strict'
import { chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { CheckpointLog } from './checkpoint-log.ts'
import { createSecretFile } from './data-file.ts'
import { ErasedPeople } from './erased-people.ts'

const server = 54_321
const skip = process.getuid?.() === 0 ? false : 'only root can leave a file to someone else'

test('what a command of root writes into the folder of a server belongs to that server', {
  skip,
}, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-data-'))
  t.after(() => rm(folder, { recursive: true }))
  const [data, own] = [path.join(folder, 'data'), path.join(folder, 'own')]
  await mkdir(data)
  await chown(data, server, server)
  const at = new Date()
  await new CheckpointLog(data).append(['a note'], at)
  await new CheckpointLog(data).append(['another'], at)
  await new ErasedPeople(data).add([{ id: 'one', at }])
  await createSecretFile(path.join(data, 'secret.key'), 'key\n')
  for (const [name, lines] of [
    ['audit-checkpoints.jsonl', 2],
    ['erased-people.jsonl', 1],
    ['secret.key', 1],
  ] as const) {
    const file = path.join(data, name)
    const { uid, gid, mode } = await stat(file)
    assert.deepEqual([uid, gid], [server, server], name)
    assert.equal((await readFile(file, 'utf8')).trimEnd().split('\n').length, lines, name)
    if (name === 'secret.key') assert.equal(mode & 0o777, 0o600)
  }
  await assert.rejects(createSecretFile(path.join(data, 'secret.key'), 'another\n'), { code: 'EEXIST' })

  // Who may write to the folder does not have root write elsewhere, nor give it away.
  const elsewhere = path.join(folder, 'elsewhere')
  await writeFile(elsewhere, '')
  await rm(path.join(data, 'erased-people.jsonl'))
  await symlink(elsewhere, path.join(data, 'erased-people.jsonl'))
  await assert.rejects(new ErasedPeople(data).add([{ id: 'two', at }]), { code: 'ELOOP' })
  assert.deepEqual([(await stat(elsewhere)).uid, await readFile(elsewhere, 'utf8')], [0, ''])

  // A folder of root's own: links of its owner are followed, and it stays root's.
  await mkdir(own)
  await symlink(elsewhere, path.join(own, 'audit-checkpoints.jsonl'))
  await new CheckpointLog(own).append(['a note'], at)
  assert.match(await readFile(elsewhere, 'utf8'), /a note/)
  assert.equal((await stat(elsewhere)).uid, 0)
})
