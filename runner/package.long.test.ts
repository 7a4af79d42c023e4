import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import manifest from './package.json' with { type: 'json' }
import { temporaryFolder } from './test/origin.ts'

const start = promisify(execFile)

test('the package is installed from its archive alone, and both of its programs start', async (t) => {
  const folder = temporaryFolder(t)
  const [dist, place] = ['dist', 'place'].map((name) => path.join(folder, name))
  // The packed programs say which node they want by name alone.
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: folder }
  const run = (program: string, ...args: string[]) => start(program, args, { cwd: folder, env })
  await run(process.execPath, path.join(import.meta.dirname, 'build.ts'), dist!)
  await run('npm', 'pack', '--silent', dist!)
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  assert.equal(archive, `signalbox-runner-${manifest.version}.tgz`)
  await run(
    'npm',
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--global',
    '--prefix',
    place!,
    `./${archive}`,
  )
  const bin = (name: string) => path.join(place!, 'bin', name)
  assert.equal((await run(bin('signalbox-runner'), '--version')).stdout, `${manifest.version}\n`)
  assert.match((await run(bin('signalbox-runner-conformance'), '--help')).stdout, /--runner/)
  // No one has said where the server is: everything else is looked at, and that it is missing is said.
  const doctor = await run(bin('signalbox-runner'), 'doctor').catch((error) => error)
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /^ok +git +\d/m)
  assert.match(doctor.stdout, /^missing +server +not asked\n +→ --url is missing/m)
})
