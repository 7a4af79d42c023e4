import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptanceSpec, coveredBy, coveredChanges, foldedPath } from './denied-paths.ts'

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

/** The same path, as someone would write it who wants it to be overlooked. */
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
  // The Kelvin sign is a k, and an accent may be on its own.
  assert.ok(covers(acceptanceSpec, '.\u212aanman/acceptance/orders.md'))
  assert.ok(covers('caf\u00e9/**', 'cafe\u0301/a.md'))
  assert.ok(covers('cafe\u0301/**', 'CAF\u00c9/a.md'))
  // Some file systems drop dots and spaces at the end of a name.
  assert.ok(covers('infra/**', 'infra./a.tf'))
  assert.ok(covers('infra/**', 'infra /a.tf'))
})

test('letters that no one sees do not make another path', () => {
  // Zero-width letters, marks of direction, word joiners, soft hyphen, byte order mark, a tag, a variation selector.
  for (const letter of [
    '\u200b',
    '\u200c',
    '\u200f',
    '\u202e',
    '\u2060',
    '\u206f',
    '\u00ad',
    '\ufeff',
    '\u{e0041}',
    '\ufe0f',
  ])
    assert.ok(
      covers(acceptanceSpec, `.kan${letter}man/acce${letter}ptance/orders.md`),
      letter.codePointAt(0)!.toString(16),
    )
})

test('wide letters and ligatures are the letters they stand for', () => {
  assert.ok(covers(acceptanceSpec, '.ｋａｎｍａｎ/acceptance/orders.md'))
  assert.ok(covers(acceptanceSpec, '．kanman／acceptance/orders.md'))
  assert.ok(covers('office/**', 'oﬃce/a.md'))
})

test('a stream of Windows is the file or the folder that it belongs to', () => {
  for (const path of [
    '.kanman::$INDEX_ALLOCATION/acceptance/orders.md',
    '.kanman/acceptance:$I30:$INDEX_ALLOCATION/orders.md',
    '.kanman\\acceptance::$index_allocation',
  ])
    assert.ok(covers(acceptanceSpec, path), path)
  assert.ok(covers('*.env', 'prod.env::$DATA'))
  assert.ok(!covers('*', 'a:b/c'))
})

test('a short name of Windows is the name that it may stand for', () => {
  for (const path of [
    'KANMAN~1/acceptance/a.md',
    '.kanman/ACCEPT~1/a.md',
    'KANMAN~2\\ACCEPT~3\\a.md',
    'KA12EF~1/acceptance/a',
  ])
    assert.ok(covers(acceptanceSpec, path), path)
  assert.ok(covers('package.json', 'PACKAG~1.JSO'))
  assert.ok(!covers('package.json', 'PACKAG~1.TXT'))
  assert.ok(!covers(acceptanceSpec, 'OTHERS~1/acceptance/a.md'))
})

test('what one system climbs out of is still denied to the others', () => {
  for (const path of [
    'infra/x\\..\\..\\y',
    'infra/a／..／..／b',
    'infra/.../a',
    'x\\..\\infra\\a／..／..／b',
  ])
    assert.ok(covers('infra/**', path), path)
  assert.ok(covers('infra/*/a', 'infra/.../a'))
  assert.ok(covers('infra/*', 'infra/…'))
})

test('a file that takes the place of a folder above a denied path counts, a folder does not', () => {
  assert.deepEqual(coveredBy(['.kanman'], [acceptanceSpec]), [])
  for (const path of ['.kanman', '.KANMAN', 'KANMAN~1', '.kanman/acceptance', '.kan\u200bman'])
    assert.deepEqual(coveredChanges([path], [acceptanceSpec]), [path])
  assert.deepEqual(
    coveredChanges(['infra', 'infra/notes.md', 'a/keys', 'keys.md'], ['infra/*/keys/**', '**/keys/*']),
    ['infra', 'a/keys'],
  )
})

test('paths that a file system or a reader takes for one have one folded form', () => {
  const same = [
    'src/Orders.ts',
    'SRC/orders.ts',
    'src/ord\u200ders.ts',
    'src/ｏrders.ts',
    './src//orders.ts',
    'src/orders.ts.',
  ]
  assert.equal(new Set(same.map(foldedPath)).size, 1)
  assert.notEqual(foldedPath('src/orders.ts'), foldedPath('src/order.ts'))
})

/** The rule as one would say it: nothing is folded, so whatever it covers must be covered. */
function plainly(glob: string[], path: string[]): boolean {
  const [first, ...rest] = glob
  if (first === undefined) return path.length === 0
  if (first === '**') return [...path.keys(), path.length].some((at) => plainly(rest, path.slice(at)))
  const name = new RegExp(
    `^${[...first].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : `\\u{${one.codePointAt(0)!.toString(16)}}`)).join('')}$`,
    'su',
  )
  return path.length > 0 && name.test(path[0]!) && plainly(rest, path.slice(1))
}

test('whatever letters a name has, what a glob covers by its plain reading is covered', () => {
  const letter = fc.constantFrom(
    'a',
    'b',
    'A',
    '.',
    ' ',
    '\\',
    ':',
    '~',
    '1',
    '\u200b',
    '／',
    '…',
    'é',
    'e\u0301',
    'ß',
    '\t',
  )
  const part = fc
    .array(letter, { minLength: 1, maxLength: 5 })
    .map((letters) => letters.join(''))
    .filter((text) => text !== '.' && text !== '..')
  const globPart = fc.oneof(fc.constantFrom('*', '**', '?', 'a*', '*b', '??'), part)
  const cases = fc.record({
    path: fc.array(part, { minLength: 1, maxLength: 4 }),
    glob: fc.array(globPart, { minLength: 1, maxLength: 4 }).filter((names) => !/[\\]$/.test(names.at(-1)!)),
  })
  fc.assert(
    fc.property(cases, ({ path, glob }) => !plainly(glob, path) || covers(glob.join('/'), path.join('/'))),
    { numRuns: 5_000, examples: [[{ path: ['a'], glob: ['*', '**', '**'] }]] },
  )
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
  assert.ok(!covers(`${'aaaaaaaa/'.repeat(50)}b`, 'AAAAAA~1/'.repeat(400)))
  assert.ok(!covers(`**/${'*a'.repeat(50)}*b`, `\u200b${name}`))
})
