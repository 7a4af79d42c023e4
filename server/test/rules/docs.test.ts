import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..', '..')
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))
// A decision record tells what was true when it was made.
const current = documents.filter((file) => !file.startsWith('docs/decisions/'))

test('every path that a document names exists', () => {
  const missing: string[] = []
  for (const file of current) {
    const text = readFileSync(path.join(root, file), 'utf8')
    const named = [
      ...text.matchAll(
        /`((?:contract|client|cli|server|web|runner|demo|acceptance|bench|docs|scripts)\/[\w./-]+)`/g,
      ),
    ].map((match) => match[1]!)
    const linked = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map((match) =>
      path.relative(root, path.join(root, path.dirname(file), match[1]!)),
    )
    for (const target of [...named, ...linked]) {
      // What is built is there only afterwards.
      if (target.endsWith('/dist')) continue
      if (!existsSync(path.join(root, target))) missing.push(`${file}: ${target}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('decisions are numbered without holes, except for those that their README names', () => {
  const readme = readFileSync(path.join(root, 'docs/decisions/README.md'), 'utf8')
  const numbers = documents.flatMap((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1] ?? [])
  const [, dropped = ''] = /Numbers [^;]*; ([\d, and]+) were given to drafts/.exec(readme) ?? []
  const all = [...numbers, ...(dropped.match(/\d{4}/g) ?? [])].sort()
  assert.deepEqual(
    all,
    all.map((_, at) => String(at + 1).padStart(4, '0')),
  )
})

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  for (const file of current) {
    const text = readFileSync(path.join(root, file), 'utf8')
    for (const match of text.matchAll(/npm run (?:-s )?([\w-]+)/g))
      assert.ok(scripts[match[1]!], `${file}: npm run ${match[1]}`)
  }
})

test('every name of code that the architecture, a habit or a recipe uses exists', () => {
  const sources = execFileSync(
    'git',
    ['grep', '-hE', '[a-z][A-Z]', '--', '*.ts', '*.tsx', '*.sql', '*.json'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e9,
    },
  )
  const words = new Set(sources.match(/[A-Za-z]\w*/g))
  const guides = current.filter((file) => /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/recipes\//.test(file))
  const missing = guides.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/`([a-z]+[A-Z]\w*)`/g)]
      .filter(([, name]) => !words.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  assert.deepEqual(missing, [])
})

test('the page of the architecture lists at most forty rules', () => {
  const page = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = page.slice(page.indexOf('## Where a rule lives')).match(/^\| .* \|$/gm) ?? []
  assert.ok(rows.length > 1 && rows.length - 1 <= 40, `${rows.length - 1}`)
})
