import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const folder = path.join(import.meta.dirname, 'src')

test('every size of type is a token of style.css', async () => {
  const styles = await readFile(path.join(folder, 'style.css'), 'utf8')
  const tokens = [...styles.matchAll(/--text-(\w+):/g)].map((match) => match[1]!)
  const strangers: string[] = []
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(file)) continue
    const text = await readFile(path.join(folder, file), 'utf8')
    // An em is no size of its own: it follows the text around it.
    for (const [name, size] of text.matchAll(
      /\btext-(\[[\d.]+(?:px|rem)\]|\d*(?:xs|sm|base|md|lg|xl))(?!\w)/g,
    ))
      if (!tokens.includes(size!)) strangers.push(`${file}: ${name}`)
  }
  assert.deepEqual(strangers, [])
})
