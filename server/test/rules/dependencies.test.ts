import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { licenseTexts } from '../../../scripts/pack/license-texts.ts'
import { shippedPackages } from '../../../scripts/shipped-packages.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const lock = read('package-lock.json').packages as Record<
  string,
  { version?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean; inBundle?: boolean }
>
const locked = Object.entries(lock).filter(([folder, { link }]) => folder.includes('node_modules/') && !link)

test('every dependency is pinned to one version, and the lock file holds it to its hash', () => {
  const loose = ['.', 'contract', 'client', 'cli', 'server', 'web', 'runner'].flatMap((folder) => {
    const manifest = read(path.join(folder, 'package.json'))
    return ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {})
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
        .map(([name, version]) => `${folder} ${name} ${version}`),
    )
  })
  assert.deepEqual(loose, [])
  assert.ok(locked.length > 300)
  // What a package brings inside itself is held by the hash of that package.
  const unheld = locked.filter(
    ([, { integrity, inBundle }]) => !inBundle && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  )
  assert.deepEqual(
    unheld.map(([folder]) => folder),
    [],
  )
})

test('only packages that were looked at run a script when they are installed', () => {
  const allowed = read('package.json').allowScripts as Record<string, boolean>
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([folder]) => folder.split('node_modules/').at(-1)!)
  assert.ok(scripted.length > 0)
  assert.deepEqual(
    scripted.filter((name) => !(name in allowed)),
    [],
  )
})

/** Each lets others use what is made with it under another licence; MPL-2.0 asks for its own files only. */
const accepted = [
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  ...['MPL-2.0', 'OFL-1.1', 'Unlicense', '(MIT OR CC0-1.0)'],
]

test('what is shipped has a licence that lets it be, and its text goes along', async () => {
  const shipped = shippedPackages()
  assert.ok(shipped.length > 150)
  assert.deepEqual(
    shipped.filter(({ license }) => !accepted.includes(license)),
    [],
  )
  const texts = await licenseTexts()
  for (const name of ['fastify', 'react', 'better-auth', 'pg'])
    assert.match(
      texts,
      new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.*\\)\\n\\n[^-]*(Copyright|Licen[cs]e)`, 'm'),
    )
})

test('npm run sbom prints CycloneDX with every package that is shipped, and no other', () => {
  assert.equal(read('package.json').scripts.sbom, 'node scripts/sbom.ts')
  const bom = JSON.parse(
    execFileSync(process.execPath, ['scripts/sbom.ts'], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 }),
  ) as { bomFormat: string; components: { name: string; version: string; hashes?: unknown[] }[] }
  assert.equal(bom.bomFormat, 'CycloneDX')
  const others = bom.components.filter(({ name }) => !/^(@signalbox\/|signalbox)/.test(name))
  const sorted = (some: { name: string; version: string }[]) =>
    [...new Set(some.map(({ name, version }) => `${name}@${version}`))].toSorted()
  assert.deepEqual(sorted(others), sorted(shippedPackages()))
  assert.deepEqual(
    others.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name),
    [],
  )
})
