import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Room } from '../gates/execute.ts'
import { temporaryFolder, write } from '../test/origin.ts'
import { plainRoom } from '../test/plain-box.ts'
import { demonstrate, findBrowser, pagesIn } from './demonstrate.ts'

const fence = '```'

test('pages are addresses and paths that one is told to open, not those in shell lines', () => {
  const block = `Open /checkout, then see <http://localhost:3000/orders>.\n${fence}sh\ncurl http://localhost:1/x\n${fence}\nVisit \`/orders/1\``
  assert.deepEqual(pagesIn(block), ['http://localhost:3000/orders', '/checkout', '/orders/1'])
})

test('what the lines print is recorded behind them', async (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'greeting.txt': 'hello\n' })
  const block = `${fence}sh\nname=there\ncat greeting.txt\necho "$name"\n${fence}\n\n${fence}sh\nfalse\n${fence}`
  const shown = await demonstrate(block, folder, plainRoom(folder), null)
  assert.equal(
    shown!.text,
    'name=there\ncat greeting.txt\nhello\necho "$name"\nthere\nfalse\n\nIt ended with 1.',
  )
  assert.deepEqual(shown!.screenshots, [])
})

test('a page without a browser is told of, and a block with nothing to do is none', async (t) => {
  const folder = temporaryFolder(t)
  const shown = await demonstrate('Open /checkout and look.', folder, plainRoom(folder), null)
  assert.equal(
    shown!.text,
    'No screenshot of /checkout was taken: there is no browser on the machine of the runner.',
  )
  assert.equal(await demonstrate('Look at the code.', folder, plainRoom(folder), null), null)
})

test('what prints without end is bounded, and what was started beside it ends with it', async (t) => {
  const folder = temporaryFolder(t)
  const shown = await demonstrate(
    `${fence}\nsleep 600 &\nyes | head -c 500000\n${fence}`,
    folder,
    plainRoom(folder),
    null,
  )
  assert.ok(shown!.text.length < 25_000)
  assert.match(shown!.text, /characters were left out here/)
})

test('how the recording is ended is not in the recording', async (t) => {
  const folder = temporaryFolder(t)
  const child = `(trap 'kill $(jobs -p) 2>/dev/null' EXIT; touch ready; sleep 600 & wait) &`
  const lines = [child, 'until [ -e ready ]; do sleep 0.01; done', 'kill $!', 'wait $!', 'echo last']
  const shown = await demonstrate(
    `${fence}sh\n${lines.join('\n')}\n${fence}`,
    folder,
    plainRoom(folder),
    null,
  )
  assert.match(shown!.text, /^\(trap .*\necho last\nlast$/s)
  assert.doesNotMatch(shown!.text, /^kill \$\(jobs/m)
})

const browser = findBrowser()

test('a page that the demonstration serves is looked at', {
  skip: browser ? false : 'no browser is on the PATH',
}, async (t) => {
  const folder = temporaryFolder(t)
  const out = path.join(folder, 'out')
  mkdirSync(out)
  write(folder, {
    'serve.mjs': `import { createServer } from 'node:http'
createServer((_, response) => response.end('<h1>Orders</h1>')).listen(Number(process.argv[2]), '127.0.0.1')
`,
  })
  const plain = plainRoom(folder)
  const room: Room = {
    ...plain,
    inPlace: (prepared, use) => plain.inPlace(prepared, (place) => use({ ...place, out })),
  }
  const port = 20_000 + (process.pid % 20_000)
  const block = `${fence}sh\nnode serve.mjs ${port} &\n${fence}\nSee http://127.0.0.1:${port}/orders.`
  const shown = await demonstrate(block, folder, room, browser)
  assert.deepEqual(shown!.screenshots, ['page-1.png'], shown!.text)
  assert.equal(readFileSync(path.join(out, 'page-1.png')).subarray(1, 4).toString(), 'PNG')
  assert.match(shown!.text, /Screenshot of http:\/\/127\.0\.0\.1:\d+\/orders: page-1\.png\.$/)
})
