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

  test('the first load, sign-in and inbox included, is under 230 kB of JavaScript', async (t) => {
    const size = await kilobytes(first.js)
    t.diagnostic(`${size.toFixed(1)} kB`)
    assert.ok(size < 230, `it is ${size.toFixed(1)} kB`)
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
