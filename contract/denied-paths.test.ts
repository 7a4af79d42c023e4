import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptanceSpec, coveredBy } from './denied-paths.ts'

const covers = (glob: string, path: string) => coveredBy([path], [glob]).length === 1

test('`**` crosses folders, `*` and `?` do not, and dots are letters', () => {
  const cases: [glob: string, path: string, covered: boolean][] = [
    ['infra/**', 'infra/a/b.tf', true],
    ['infra/**', 'infrastructure/a.tf', false],
    ['infra/**', 'src/infra/a.tf', false],
    ['**/secrets/*', 'secrets/key', true],
    ['**/secrets/*', 'a/b/secrets/key', true],
    ['**/secrets/*', 'a/b/secrets/old/key', false],
    ['*.env', '.env', true],
    ['*.env', 'prod.env', true],
    ['*.env', 'config/prod.env', false],
    ['*.env', 'prodXenv', false],
    ['db/00??_*.sql', 'db/0042_x.sql', true],
    ['db/00??_*.sql', 'db/00423_x.sql', false],
    ['a+b/(c)[d]/{e}.$', 'a+b/(c)[d]/{e}.$', true],
    ['README.md', 'docs/README.md', false],
  ]
  for (const [glob, path, covered] of cases) assert.equal(covers(glob, path), covered, `${glob} and ${path}`)
})

test('a folder that is denied is denied itself, as a plan names it', () => {
  for (const path of ['infra', 'infra/', './infra', 'INFRA\\']) assert.ok(covers('infra/**', path), path)
  assert.ok(covers(acceptanceSpec, '.kanman/acceptance'))
  assert.ok(!covers('infra/**', 'infra2'))
})

test('a glob means the same however it is written', () => {
  for (const glob of ['infra/**', './infra/**', '/infra/**', 'infra/', 'infra\\', 'Infra//**'])
    assert.ok(covers(glob, 'infra/a/b.tf'), glob)
  assert.ok(covers('**', 'anything/at/all'))
})

test('what is returned is what was asked about, letter for letter and in its order', () => {
  const paths = ['./infra/b.tf', 'src/a.ts', 'INFRA/a.tf']
  assert.deepEqual(coveredBy(paths, ['infra/**']), ['./infra/b.tf', 'INFRA/a.tf'])
})

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/)

/** The same path, as somebody would write it who wants it to be overlooked. */
const disguised = (path: string) =>
  fc
    .array(
      fc.record({
        before: fc.constantFrom('', './', './/', '././', 'x/../', 'x\\..\\', '/', 'a/b/../../'),
        upper: fc.boolean(),
        end: fc.constantFrom('/', '\\', '//', '/./'),
      }),
      { minLength: path.split('/').length, maxLength: path.split('/').length },
    )
    .map((ways) =>
      path
        .split('/')
        .map((part, index) => {
          const { before, upper, end } = ways[index]!
          const isLast = index === ways.length - 1
          return `${before}${upper ? part.toUpperCase() : part}${isLast ? '' : end}`
        })
        .join(''),
    )

test('no way of writing a denied path keeps it from being noticed', () => {
  const cases = fc
    .tuple(
      fc.constantFrom('.kanman/acceptance', 'infra', 'a/b/c'),
      fc.array(name, { minLength: 1, maxLength: 3 }),
    )
    .chain(([folder, rest]) => fc.tuple(fc.constant(`${folder}/**`), disguised([folder, ...rest].join('/'))))
  fc.assert(
    fc.property(cases, ([glob, path]) => covers(glob, path)),
    { numRuns: 2_000 },
  )
})

test('climbing out of the repository leads nowhere else', () => {
  for (const path of ['../infra/a.tf', '../../infra/a.tf', 'src/../../infra/a.tf', '/infra/a.tf'])
    assert.ok(covers('infra/**', path), path)
})

test('letters that a file system takes for the same are the same', () => {
  // The Kelvin sign is a k, and an accent may stand on its own.
  assert.ok(covers(acceptanceSpec, '.\u212aanman/acceptance/orders.md'))
  assert.ok(covers('caf\u00e9/**', 'cafe\u0301/a.md'))
  assert.ok(covers('cafe\u0301/**', 'CAF\u00c9/a.md'))
  // Some file systems drop dots and spaces at the end of a name.
  assert.ok(covers('infra/**', 'infra./a.tf'))
  assert.ok(covers('infra/**', 'infra /a.tf'))
})

test('a path elsewhere is not taken for a denied one', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (parts) => {
      fc.pre(parts[0] !== 'infra')
      return !covers('infra/**', parts.join('/'))
    }),
  )
})

test('a glob full of stars is held against a long name without getting lost in it', () => {
  const name = 'a'.repeat(4_000)
  assert.ok(!covers(`**${'a**'.repeat(50)}b`, name))
  assert.ok(!covers(`${'*a'.repeat(50)}*b`, name))
  assert.ok(covers(`**${'a**'.repeat(50)}`, name))
})
