import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'

/** How the archives start, with a Node that cannot turn into another program (before 23.11). */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-launch-'))
after(() => rm(folder, { recursive: true, force: true }))
const program = path.join(folder, 'program.mjs')
await writeFile(
  program,
  `process.on('SIGTERM', () => { console.log('stopping'); process.exit(7) })
   setInterval(() => {}, 1e6)
   console.log(process.argv.slice(2).join(' '))`,
)

async function launched() {
  const launch = path.join(import.meta.dirname, '..', '..', 'scripts', 'pack', 'launch.cjs')
  const wanted = path.relative(path.dirname(launch), program)
  const script = `process.execve = undefined; require(${JSON.stringify(launch)})('It', ${JSON.stringify(wanted)}, [], ['as', 'told'])`
  const launcher = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]()
  const said = async () => (await lines.next()).value
  assert.equal(await said(), 'as told')
  return { launcher, said }
}

test('a signal reaches the program, and its exit code comes back', async () => {
  const { launcher, said } = await launched()
  launcher.kill('SIGTERM')
  assert.equal(await said(), 'stopping')
  assert.deepEqual(await once(launcher, 'close'), [7, null])
})

test('the program stops when its launcher is killed, which nothing can pass on', async () => {
  const { launcher, said } = await launched()
  launcher.kill('SIGKILL')
  assert.equal(await said(), 'stopping')
})
