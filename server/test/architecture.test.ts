import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

/** The architecture, held by a test: who may import whom. A newcomer reads this table before anything else. */
const mayImport: Record<string, string[]> = {
  contract: [],
  // The app takes shapes from the contract and nothing from the server.
  web: ['contract'],
  'server/infra': ['contract'],
  'server/domain': ['contract', 'server/infra'],
  'server/faces': [
    'contract',
    'server/domain',
    'server/infra/clock.ts',
    'server/infra/coalesced.ts',
    'server/infra/every.ts',
    'server/infra/http',
    'server/infra/jobs',
    'server/infra/log.ts',
    'server/infra/metrics.ts',
    'server/infra/secrets.ts',
  ],
  // How we reach out: they implement ports and know nothing else of the domain.
  'server/integrations': ['contract', 'server/domain/ports', 'server/infra/http', 'server/infra/clock.ts'],
  // The sign-in library writes rows of its own, with our ids and our way to hash a password.
  'server/integrations/identity': [
    'contract',
    'server/domain/ports',
    'server/infra/ids.ts',
    'server/infra/secrets.ts',
  ],
  // The wiring puts the layers together.
  'server/app': ['contract', 'server/domain', 'server/faces', 'server/infra', 'server/integrations'],
  // Commands and the demo stand above it.
  server: ['contract', 'server'],
  // An identity provider stands outside of the product, for whoever tests it.
  acceptance: ['contract', 'server/test/identity-provider.ts'],
  // The bench opens the same browser as the acceptance tests.
  bench: ['contract', 'server', 'acceptance/app/launch-browser.ts'],
  scripts: ['contract', 'server'],
}

/** What the domain takes from infra: mechanisms of storage and time, nothing of HTTP. */
const domainMayUse = [
  'db',
  'clock.ts',
  'cluster.ts',
  'ids.ts',
  'jobs',
  'secrets.ts',
  'base62.ts',
  'merkle.ts',
  'signed-note.ts',
  'signatures.ts',
]

const root = path.join(import.meta.dirname, '..', '..')

interface Source {
  file: string
  text: string
  imports: string[]
}

const sources = await readSources()

async function readSources(): Promise<Source[]> {
  const found: Source[] = []
  for (const top of ['contract', 'server', 'web', 'acceptance', 'bench', 'scripts']) {
    for (const entry of await readdir(path.join(root, top), { recursive: true })) {
      if (!/\.tsx?$/.test(entry) || entry.includes('node_modules')) continue
      const file = path.join(top, entry)
      const text = await readFile(path.join(root, file), 'utf8')
      found.push({ file, text, imports: importsOf(file, text) })
    }
  }
  return found
}

function importsOf(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
  return specifiers.flatMap((specifier) => {
    if (specifier.startsWith('.')) return [path.join(path.dirname(file), specifier)]
    if (specifier.startsWith('@signalbox/')) return [specifier.slice('@signalbox/'.length)]
    return []
  })
}

const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith('server/test/')
const layerOf = (file: string) =>
  Object.keys(mayImport)
    .filter((layer) => file.startsWith(`${layer}/`))
    .toSorted((a, b) => b.length - a.length)[0]!
const within = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)

test('imports follow the layers', () => {
  const breaches: string[] = []
  for (const { file, imports } of sources.filter((source) => !isTest(source.file))) {
    const layer = layerOf(file)
    for (const target of imports) {
      const allowed = [layer, ...mayImport[layer]!]
      if (!allowed.some((folder) => within(target, folder))) breaches.push(`${file} imports ${target}`)
      if (layer === 'server/domain' && within(target, 'server/infra')) {
        const part = target.slice('server/infra/'.length).split('/')[0]!
        if (!domainMayUse.includes(part)) breaches.push(`${file} imports ${target}`)
      }
    }
  }
  assert.deepEqual(breaches, [])
})

test('a face imports no other face, only the room they share', () => {
  const faceOf = (file: string) => /^server\/faces\/([^/]+)/.exec(file)?.[1]
  const breaches = sources
    .filter(({ file }) => faceOf(file) && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((target) => ![faceOf(file), 'http', undefined].includes(faceOf(target)))
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(breaches, [])
})

test('a module’s store is its own', () => {
  const breaches = sources
    .filter(({ file }) => within(file, 'server/domain') && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter(
          (target) => path.basename(target) === 'store.ts' && path.dirname(target) !== path.dirname(file),
        )
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(breaches, [])
})

test('files form no cycle', () => {
  const graph = new Map(sources.map(({ file, imports }) => [file, imports]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: string[]) => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
    if (done.has(file) || trail.includes(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  assert.deepEqual(cycles, [])
})

test('a handle that writes exists only in change.ts and in infra', () => {
  const breaches = sources
    .filter(({ file }) => within(file, 'server') && !within(file, 'server/infra') && !isTest(file))
    .filter(({ file }) => file !== 'server/domain/audit/change.ts')
    .filter(({ text }) => /\bKysely\b/.test(text) || /\bpool\.query\(/.test(text))
    .map(({ file }) => file)
  // The server asks whether the database is there, and which key it was set up with, before there is anyone to act.
  assert.deepEqual(breaches, ['server/app/faces.ts', 'server/app/storage.ts'])
})

test('the sign-in library, which writes past the audit log, is known in one place', () => {
  const users = sources
    .filter(({ file }) => !isTest(file))
    .filter(({ text }) => /from '(better-auth|@better-auth)\b/.test(text))
    .map(({ file }) => path.dirname(file))
  assert.deepEqual([...new Set(users)], ['server/integrations/identity'])
})

test('SQL in the domain stands in stores, and in the few files that are a statement themselves', () => {
  const alone = [
    'server/domain/audit/change.ts',
    'server/domain/audit/prepare-months.ts',
    'server/domain/keys.ts',
  ]
  const breaches = sources
    .filter(
      ({ file }) => within(file, 'server/domain') && !isTest(file) && path.basename(file) !== 'store.ts',
    )
    .filter(({ file, text }) => /\bsql`|\bstatement(<|\()/.test(text) && !alone.includes(file))
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})

test('no drawer is named utils, helpers, common, types, lib or manager', () => {
  const drawers = sources.filter(({ file }) =>
    /(^|\/)(utils?|helpers?|common|types|lib|manager)(\.ts|\/)/.test(file),
  )
  assert.deepEqual(
    drawers.map(({ file }) => file),
    [],
  )
})

test('the app takes only types from the contract, so that no schema is sent to a browser', () => {
  const breaches = sources
    .filter(({ file }) => within(file, 'web'))
    .filter(({ text }) => /^import (?!type )[^\n]*@signalbox\/contract/m.test(text))
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})
