import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { whyNoBackupFolder } from '../app/backup.ts'
import { readConfig } from '../app/config.ts'
import { lastBackup } from '../domain/installation/backups/last.ts'
import { testApp } from '../test/app.ts'
import { auditEvents } from '../test/audit-events.ts'
import { aWorkspace } from '../test/factories.ts'
import { examine } from './doctor.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-backup-command-'))
after(() => rm(folder, { recursive: true, force: true }))
const app = await testApp()
after(() => app.stop())
const { workspaceId } = await aWorkspace(app.storage.db)
const settings = {
  ...{ DATABASE_URL: app.databaseUrl, DATA_DIR: path.join(folder, 'data') },
  SECRET_KEY: 'a key for tests that is long enough',
}
// What root may not write to is a matter of the disk, so root lends it an account.
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function backup(args: string[], env: Record<string, string> = settings, as = {}) {
  const { PATH } = process.env
  const command = [path.join(import.meta.dirname, '..', 'main.ts'), 'backup', ...args]
  const child = spawn(process.execPath, command, {
    ...{ env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'], ...as },
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)])
  return { code: await closed, stdout, stderr }
}

const noted = async () => ({
  ...(await lastBackup(app.storage.db)),
  entries: (await auditEvents(app.storage.db, workspaceId)).filter(({ event }) => event === 'backup_created'),
})

test('a backup that could not begin where it was asked for is wrong usage: nothing is noted, and nothing touched', async () => {
  const at = (...names: string[]) => path.join(folder, ...names)
  await chmod(folder, 0o755)
  await mkdir(at('used'))
  await writeFile(at('used', 'mine'), 'mine')
  await writeFile(at('file'), 'mine')
  await mkdir(at('empty'))
  await mkdir(at('closed'), { mode: 0o555 })
  await symlink(at('empty'), at('link'))
  await writeFile(at('taken.unfinished'), 'mine')
  await writeFile(at('short'), 'short')
  const before = await readdir(folder, { recursive: true })
  const wrong: [target: string, said: RegExp][] = [
    [at('used'), /^The folder \S+ is not empty\. Name a new one: each backup has its own\.$/],
    [at('file'), /^\S+ is a file\. Name a folder on a disk\.$/],
    [at('file', 'in-it'), /^\S+ .*is a file\. Name a folder on a disk\.$/],
    [at('taken'), /^\S+\.unfinished is a file\. Name a folder on a disk\.$/],
    [at('link'), /^\S+ is a link\. Name the folder itself\.$/],
    [at('x'.repeat(250)), /its name is too long\. Name a folder on a disk\.$/],
    ['/proc/new', /is in proc, which does not store files\. Name a folder on a disk\.$/],
    ['/', /^(The folder )?\/ /],
  ]
  for (const [target, said] of wrong) assert.match((await whyNoBackupFolder(target)) ?? '', said)
  assert.equal(await whyNoBackupFolder(at('empty')), null)
  assert.equal(await whyNoBackupFolder(at('new', 'in', 'new')), null)

  const typed: [args: string[], said: RegExp, as?: object][] = [
    [[at('used')], /^The folder \S+ is not empty\./],
    [
      [at('closed', 'a', 'b')],
      /cannot be written to \(EACCES\)\. Let this account write to it, or /,
      account,
    ],
    [['--passphrase-file', at('short'), at('new')], /must have at least 16 characters\.\n$/],
    [['--passphrase-file', at('nothing'), at('new')], /^There is no file \S+\.\n$/],
  ]
  for (const [args, said, as] of typed) {
    const { code, stdout, stderr } = await backup(args, settings, as)
    assert.match(stderr, said)
    assert.deepEqual([code, stdout], [2, ''], stderr)
  }
  assert.deepEqual(await noted(), { good: null, tried: null, entries: [] })
  assert.deepEqual(await readdir(folder, { recursive: true }), before)
})

test('one that fails is noted, and doctor says that the command has to be run again', async () => {
  const other = { ...settings, SECRET_KEY: 'another key that is long enough too' }
  const { code, stderr } = await backup([path.join(folder, 'new')], other)
  assert.equal(code, 1)
  assert.match(stderr, /^This database was set up with another SECRET_KEY\./)
  const { tried, entries } = await noted()
  assert.deepEqual([tried?.cause, entries.length], ['operator', 1])
  const { checks } = await examine(readConfig(settings))
  const check = checks.find(({ name }) => name === 'backup')!
  assert.match(check.says, /^The last backup failed: This database was set up with another SECRET_KEY/)
  assert.match(check.remedy!, /^It was made with the backup command\. .*run the command again\.$/)
})

test('into a folder that is new or empty it is made', async () => {
  const { code, stderr, stdout } = await backup([path.join(folder, 'empty')])
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Backed up to \S+ as of /)
})
