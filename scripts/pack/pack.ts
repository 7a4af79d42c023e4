import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { bundleCli } from '../../cli/bundle.ts'
import { bundleServer } from '../../server/bundle.ts'
import { emitClient } from './emit-client.ts'
import { licenseTexts } from './license-texts.ts'

/**
 * `npm run pack`: the archives that npx takes, in `dist/`. The server's holds everything that it runs, built; what npm
 * adds at the installation are a Node and a PostgreSQL for the platform, as they are, without a script. Another folder
 * may be named.
 */
const root = path.join(import.meta.dirname, '..', '..')
const { positionals, values } = parseArgs({
  allowPositionals: true,
  // Its types need the compiler, which is not there where only what runs is installed: in the build of an image.
  options: { 'without-client': { type: 'boolean' } },
})
const dist = path.resolve(positionals[0] ?? path.join(root, 'dist'))
const run = promisify(execFile)

const readme = `# Signalbox

Runs AI teams on software stories under human control.

    npx --no -- signalbox

serves on http://127.0.0.1:4400 with a PostgreSQL of its own in ./data, and prints the link to the first account.
Node 20 or later starts it; the Node that it runs on comes with it. \`npx --no -- signalbox --help\` lists the other commands.
`

const cliReadme = `# signalbox-cli

Signalbox in a terminal: your inbox, answers, runs, logs and incidents, and a bridge for coding agents.

    signalbox login --url https://signalbox.example.com
    signalbox inbox
    signalbox answer dec-k3x9 1

It needs Node 20.18 or later and nothing else. \`signalbox --help\` lists the commands. The package \`signalbox\`, with
the server in it, has them too.
`

const clientReadme = `# @signalbox/client

A typed client for the REST API of Signalbox, with pagination, retries and a webhook verifier. It has no dependency.

    import { createClient } from '@signalbox/client'

    const signalbox = createClient({ url: 'https://signalbox.example.com', token: process.env.SERVICE_API_KEY })
    for await (const { key, title } of signalbox.listDecisions({ status: 'pending' })) console.log(key, title)

Your server has the manual, under /docs/client.
`

const folders = {
  server: path.join(dist, 'signalbox'),
  runner: path.join(dist, 'signalbox-runner'),
  cli: path.join(dist, 'signalbox-cli'),
  client: path.join(dist, 'signalbox-client'),
}
await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await run(process.execPath, [path.join(root, 'runner', 'build.ts'), folders.runner])
for (const file of [
  ...['systemd/signalbox-runner.service', 'systemd/signalbox-runner@.service'],
  ...['slurm/signalbox-runner.sbatch', 'slurm/signalbox-submit'],
])
  await copyDeploy(folders.runner, file)
await stageServer(folders.server)
await stageCli(folders.cli)
const { client, ...others } = folders
if (!values['without-client']) await stageClient(client)
for (const folder of values['without-client'] ? Object.values(others) : Object.values(folders)) {
  const packing = ['pack', folder, '--pack-destination', dist, '--ignore-scripts']
  const { stdout } = await run('npm', packing, { cwd: dist })
  process.stdout.write(`${path.relative(process.cwd(), path.join(dist, stdout.trim()))}\n`)
}

async function stageServer(folder: string): Promise<void> {
  await run(process.execPath, [path.join(root, 'web', 'build.ts')])
  await run(process.execPath, [path.join(root, 'web', 'manual', 'build.ts')])
  await bundleServer(folder)
  for (const part of ['dist', 'dist-manual'])
    await cp(path.join(root, 'web', part), path.join(folder, 'web', part), { recursive: true })
  // Started beside the server, and handed out to other machines.
  const runner = 'signalbox-runner.mjs'
  await cp(path.join(folders.runner, runner), path.join(folder, 'runner', 'dist', runner))
  for (const file of [
    ...['launch.cjs', 'stop-with-launcher.mjs', 'signalbox.cjs'],
    ...['health.mjs', 'compile-cache.mjs'],
  ])
    await cp(path.join(import.meta.dirname, file), path.join(folder, file))
  await chmod(path.join(folder, 'signalbox.cjs'), 0o755)
  await copyDeploy(folder, 'systemd/signalbox.service')
  await copyDeploy(folder, 'prometheus/signalbox.rules.yaml')
  await copyDeploy(folder, 'grafana/signalbox.json')
  for (const file of ['LICENSE', 'NOTICE', 'SECURITY.md', 'CHANGELOG.md'])
    await cp(path.join(root, file), path.join(folder, file))
  await writeFile(path.join(folder, 'licenses.txt'), await licenseTexts())
  await writeFile(path.join(folder, 'README.md'), readme)
  await writeManifest(folder, await manifest())
}

/** What people install who have no server on their machine: one file, and no dependency. */
async function stageCli(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await bundleCli(path.join(folder, 'cli.mjs'))
  await cp(path.join(import.meta.dirname, 'signalbox-cli.cjs'), path.join(folder, 'signalbox.cjs'))
  await chmod(path.join(folder, 'signalbox.cjs'), 0o755)
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  await writeFile(path.join(folder, 'README.md'), cliReadme)
  const { version, description, license } = await read('cli', 'package.json')
  await writeManifest(folder, {
    ...{ name: 'signalbox-cli', version, description, license, engines: { node: '>=20.18' } },
    bin: { signalbox: 'signalbox.cjs' },
  })
}

async function stageClient(folder: string): Promise<void> {
  await emitClient(folder)
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  await writeFile(path.join(folder, 'README.md'), clientReadme)
  const { name, version, description, license, type, engines } = await read('client', 'package.json')
  await writeManifest(folder, {
    ...{ name, version, description, license, type, engines, sideEffects: false },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  })
}

/** What an operator copies from the package, where there is no checkout. */
async function copyDeploy(folder: string, file: string): Promise<void> {
  await cp(path.join(root, 'deploy', file), path.join(folder, 'deploy', file))
}

async function read(...names: string[]) {
  return JSON.parse(await readFile(path.join(root, ...names), 'utf8'))
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function manifest(): Promise<object> {
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
