import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..', '..')
const model = readFileSync(path.join(root, 'docs', 'threat-model.md'), 'utf8')

/** Of each table with tests: what is said to hold, and where it is shown. */
const lines = model
  .split('\n## ')
  .filter((section) => section.includes('| Threat | What prevents it | Test |'))
  .flatMap((section) =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1),
  )
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))

test('every threat names a test that exists under that name', () => {
  assert.ok(lines.length > 45, `${lines.length}`)
  const wrong = lines.flatMap(([threat, prevents, proof]) => {
    const [, file, name] = /^`([\w./-]+\.test\.ts)`: (.+)$/.exec(proof ?? '') ?? []
    if (!threat || !prevents || !file || !name) return [`${threat}: no test is named`]
    if (!existsSync(path.join(root, file))) return [`${threat}: there is no ${file}`]
    const text = readFileSync(path.join(root, file), 'utf8').replaceAll("\\'", "'")
    // The name is the whole title, or what follows a value that is in front of it.
    const titles = [...text.matchAll(/\b(?:test|it)\(\s*(['"`])(.+?)\1,?\s/gs)].map((match) => match[2]!)
    return titles.some((title) => title === name || title.endsWith(`} ${name}`))
      ? []
      : [`${threat}: ${file} has no test “${name}”`]
  })
  assert.deepEqual(wrong, [])
})
