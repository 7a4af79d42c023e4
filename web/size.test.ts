import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

const built = path.join(import.meta.dirname, 'dist')
const chunks: Record<string, Chunk> = JSON.parse(await readFile(path.join(built, 'manifest.json'), 'utf8'))

/** A chunk and everything that must be there before it can run. */
function closure(names: string[]): { js: Set<string>; css: Set<string> } {
  const [seen, js, css] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const chunk = chunks[name]
    assert.ok(chunk, `the build has a chunk for ${name}`)
    js.add(chunk.file)
    for (const file of chunk.css ?? []) css.add(file)
    for (const other of chunk.imports ?? []) visit(other)
  }
  for (const name of names) visit(name)
  return { js, css }
}

async function kilobytes(files: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += (await stat(path.join(built, `${file}.gz`))).size
  return bytes / 1_000
}

/** How much a browser must fetch, as gzip sends it. */
describe('the size of the web app', () => {
  const first = closure(['index.html', 'src/sign-in/login.tsx', 'src/decisions/inbox.tsx'])

  test('the inbox can be used after less than 200 kB of JavaScript, and the sign-in after less than 180', async (t) => {
    for (const [screen, most] of [
      ['src/decisions/inbox.tsx', 200],
      ['src/sign-in/login.tsx', 180],
    ] as const) {
      const size = await kilobytes(closure(['index.html', screen]).js)
      t.diagnostic(`${screen}: ${size.toFixed(1)} kB`)
      assert.ok(size < most, `${screen}: it is ${size.toFixed(1)} kB`)
    }
  })

  test('only who is inside fetches the inbox early: the page names its code, and preloads none of it', async () => {
    const page = await readFile(path.join(built, 'index.html'), 'utf8')
    const { file } = chunks['src/decisions/inbox.tsx']!
    assert.match(page, new RegExp(`<meta name="inbox-code" content="[^"]*/${file}`))
    assert.doesNotMatch(page, new RegExp(`<link[^>]*${file}`))
    assert.ok(page.indexOf('inbox-code') < page.indexOf('/early.js'), 'before the script that reads it')
    assert.match(
      page,
      /<div id="root">\s*(<!--.*?-->\s*)?<div/,
      'the page is not empty until the app is there',
    )
  })

  test('the styles are under 20 kB', async (t) => {
    const size = await kilobytes(first.css)
    t.diagnostic(`${size.toFixed(1)} kB`)
    assert.ok(size < 20, `they are ${size.toFixed(1)} kB`)
  })

  test('no other screen adds more than 60 kB', async () => {
    for (const name of Object.keys(chunks).filter((one) => /^src\/.*\.tsx$/.test(one))) {
      const added = [...closure([name]).js].filter((file) => !first.js.has(file))
      const size = await kilobytes(added)
      assert.ok(size < 60, `${name} adds ${size.toFixed(1)} kB`)
    }
  })
})
