import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { listInput } from './src/decisions/inbox-lists.ts'

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

/** The page's script, and what it imports once it runs. */
const app = ['index.html', 'src/app.tsx']

/** How much a browser must fetch, as gzip sends it. */
describe('the size of the web app', () => {
  const inbox = ['src/decisions/inbox.tsx', 'src/decisions/inbox-pane.tsx']
  const first = closure([...app, 'src/sign-in/login.tsx', ...inbox])

  test('the inbox can be used after less than 185 kB of JavaScript, and the sign-in after less than 160', async (t) => {
    for (const [screens, most] of [
      [inbox, 185],
      [['src/sign-in/login.tsx'], 160],
    ] as const) {
      const size = await kilobytes(closure([...app, ...screens]).js)
      t.diagnostic(`${screens[0]}: ${size.toFixed(1)} kB`)
      assert.ok(size < most, `${screens[0]}: it is ${size.toFixed(1)} kB`)
    }
  })

  test('the page names what a screen begins with, and preloads no screen for those who go elsewhere', async () => {
    const page = await readFile(path.join(built, 'index.html'), 'utf8')
    const codeOf = (screen: string) =>
      new RegExp(`<meta name="screen" data-path="${RegExp.escape(screen)}"[^>]* content="([^"]*)"`).exec(
        page,
      )?.[1]
    for (const [screen, module] of [
      ['/([^/]+)/inbox', 'src/decisions/inbox.tsx'],
      ['/([^/]+)/teams/([^/]+)/board', 'src/stories/board.tsx'],
      ['/([^/]+)/runs/([^/]+)', 'src/runs/run.tsx'],
      ['/([^/]+)/incidents/([^/]+)', 'src/incidents/incident.tsx'],
    ] as const) {
      const { file } = chunks[module]!
      assert.ok(codeOf(screen)?.split(' ').includes(`/${file}`), `${screen} begins with ${file}`)
      assert.doesNotMatch(page, new RegExp(`<link[^>]*${file}`))
    }
    assert.ok(page.indexOf('name="screen"') < page.indexOf('/early.js'), 'before the script that reads it')
    assert.match(
      page,
      /<div id="root">\s*(<!--.*?-->\s*)?<div/,
      'the page is not empty until the app is there',
    )
  })

  test('the inbox reads early what it reads', async () => {
    const page = await readFile(path.join(built, 'index.html'), 'utf8')
    const asked = /data-path="\/\(\[\^\/\]\+\)\/inbox" data-reads="[^"?]*\?([^"]*)"/.exec(page)?.[1]
    const read = Object.entries(listInput({})).map(([name, value]) => [name, String(value)])
    assert.deepEqual([...new URLSearchParams(asked?.replaceAll('&amp;', '&'))], read)
  })

  test('menus, dialogs and what renders Markdown are not needed for the first paint', () => {
    const early = [
      'src/sign-in/login.tsx',
      'src/stories/board.tsx',
      'src/runs/run.tsx',
      'src/incidents/incident.tsx',
    ]
    const { js } = closure([...app, ...inbox, ...early])
    const late = Object.values(chunks).filter(({ file }) =>
      /\/(dialogs|markdown-rendered|toasts)-/.test(file),
    )
    assert.ok(late.length >= 3)
    for (const { file } of late) assert.ok(!js.has(file), `${file} comes later`)
  })

  test('the page names all the code of what opens over a screen, which is fetched before the server may be away', async () => {
    const page = await readFile(path.join(built, 'index.html'), 'utf8')
    const named = /<meta name="later" content="([^"]*)"/.exec(page)?.[1]?.split(' ') ?? []
    const over = ['ui/dialog-shown', 'ui/menu-opened', 'ui/toasts', 'shell/palette', 'shell/help']
    const { js } = closure(over.map((name) => `src/${name}.tsx`))
    for (const file of js) assert.ok(named.includes(`/${file}`) || closure(app).js.has(file), file)
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
