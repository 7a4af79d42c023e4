import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { bundleServer } from '../../server/bundle.ts'
import { licenseTexts } from './license-texts.ts'

/**
 * `npm run pack`: the archives that npx takes, in `dist/`. The server's holds everything that it runs, built; what npm
 * adds at the installation are a Node and a PostgreSQL for the platform, as they are, without a script. Another folder
 * may be named.
 */
const root = path.join(import.meta.dirname, '..', '..')
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'))
const run = promisify(execFile)

const readme = `# Signalbox

Runs AI teams on software stories under human control.

    npx --no -- signalbox

serves on http://127.0.0.1:4400 with a PostgreSQL of its own in ./data, and prints the link to the first account.
Node 20 or later starts it; the Node that it runs on comes with it. \`npx --no -- signalbox --help\` lists the other commands.
`

const folders = { server: path.join(dist, 'signalbox'), runner: path.join(dist, 'signalbox-runner') }
await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await run(process.execPath, [path.join(root, 'runner', 'build.ts'), folders.runner])
await stageServer(folders.server)
for (const folder of Object.values(folders))
  await run('npm', ['pack', folder, '--pack-destination', dist, '--ignore-scripts'], { cwd: dist })

async function stageServer(folder: string): Promise<void> {
  await run(process.execPath, [path.join(root, 'web', 'build.ts')])
  await run(process.execPath, [path.join(root, 'web', 'manual', 'build.ts')])
  await bundleServer(folder)
  for (const part of ['dist', 'dist-manual'])
    await cp(path.join(root, 'web', part), path.join(folder, 'web', part), { recursive: true })
  // Started beside the server, and handed out to other machines.
  const runner = 'signalbox-runner.mjs'
  await cp(path.join(folders.runner, runner), path.join(folder, 'runner', 'dist', runner))
  for (const file of ['launch.cjs', 'signalbox.cjs', 'health.mjs', 'compile-cache.mjs'])
    await cp(path.join(import.meta.dirname, file), path.join(folder, file))
  await chmod(path.join(folder, 'signalbox.cjs'), 0o755)
  for (const file of ['LICENSE', 'NOTICE', 'SECURITY.md', 'CHANGELOG.md'])
    await cp(path.join(root, file), path.join(folder, file))
  await writeFile(path.join(folder, 'licenses.txt'), await licenseTexts())
  await writeFile(path.join(folder, 'README.md'), readme)
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
}

async function manifest(): Promise<object> {
  const read = async (...names: string[]) => JSON.parse(await readFile(path.join(root, ...names), 'utf8'))
  const { name, version, description, license } = await read('package.json')
  const { optionalDependencies } = await read('server', 'package.json')
  const { optionalDependencies: nodes } = JSON.parse(
    await readFile(path.join(folders.runner, 'package.json'), 'utf8'),
  )
  return {
    ...{ name, version, description, license, type: 'module', engines: { node: '>=20' } },
    bin: { signalbox: 'signalbox.cjs' },
    optionalDependencies: { ...nodes, ...optionalDependencies },
  }
}
