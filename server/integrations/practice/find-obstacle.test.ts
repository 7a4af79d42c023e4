import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findObstacle } from './find-obstacle.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-obstacle-'))
after(() => rm(folder, { recursive: true, force: true }))

/** A machine with these programs alone. */
async function having(programs: Record<string, string>) {
  const bin = await mkdtemp(path.join(folder, 'bin-'))
  for (const [name, body] of Object.entries(programs))
    await writeFile(path.join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return { searchPath: bin, platform: 'linux' as const, isRoot: false }
}

test('a machine without bubblewrap is told the line of its own package manager', async () => {
  const none = await findObstacle(await having({}))
  assert.match(none!.why, /needs bubblewrap/)
  assert.equal(none!.line, null)
  const lines = {
    'apt-get': 'apt-get install bubblewrap',
    dnf: 'dnf install bubblewrap',
    apk: 'apk add bubblewrap',
  }
  for (const [program, line] of Object.entries(lines)) {
    const machine = await having({ [program]: '' })
    assert.equal((await findObstacle(machine))!.line, `sudo ${line}`)
    assert.equal((await findObstacle({ ...machine, isRoot: true }))!.line, line)
  }
})

test('bubblewrap that makes no box here is said with its own words, and one that does is no obstacle', async () => {
  const refused = await having({ bwrap: 'echo "bwrap: No permissions to create new namespace" >&2; exit 1' })
  assert.deepEqual(await findObstacle(refused), {
    why: 'bubblewrap is installed on the server’s machine but can’t create a sandbox there (bwrap: No permissions to create new namespace).',
    line: null,
  })
  assert.equal(await findObstacle(await having({ bwrap: 'exit 0' })), null)
  assert.match((await findObstacle({ ...refused, platform: 'darwin' }))!.why, /needs Linux/)
})
