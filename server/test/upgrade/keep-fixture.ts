import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startCluster } from '../../infra/db/embedded.ts'
import { superuserOf } from '../superuser.ts'
import { dump, writeFixture } from './fixture.ts'
import { lastRelease, lastReleaseFolder } from './last-release.ts'

/** Keeps what the demo of the last release holds, once for each release: `npx node server/test/upgrade/keep-fixture.ts`. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-fixture-'))
const making = spawn(process.execPath, ['demo/make-data.ts', folder], {
  cwd: await lastReleaseFolder(),
  stdio: ['pipe', 'inherit', 'inherit'],
})
const [code] = await once(making, 'exit')
if (code !== 0) throw new Error('The demo of the last release could not be made.')
const cluster = await startCluster(folder, { log: () => {} })
try {
  const secretKey = (await readFile(path.join(folder, 'secret.key'), 'utf8')).trim()
  const fixture = await dump(await superuserOf(folder, cluster.connection), secretKey)
  const bytes = await writeFixture(lastRelease.version, fixture)
  process.stdout.write(`v${lastRelease.version}: ${bytes.toLocaleString('en')} bytes\n`)
} finally {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
