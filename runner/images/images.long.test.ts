import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { imageIn } from '@signalbox/contract/image.ts'
import { findProgram } from '../agents/installed.ts'
import type { Limits } from '../box/box.ts'
import { cleanIn } from '../box/clean.ts'
import { resolvePrograms } from '../box/host-programs.ts'
import { measureBox, play } from '../box/measure.ts'
import { detectLimitTools, withResourceLimits } from '../box/resource-limits.ts'
import { withImage } from '../box/with-image.ts'
import { Trash } from '../disk/trash.ts'
import { type Entry, makeRoot, Registry, tarOf, tarWith } from '../test/image.ts'
import { ImageError, Images } from './images.ts'
import { Podman } from './podman.ts'

const measured = await measureBox()
const box = withResourceLimits(
  measured.box,
  { memoryBytes: 2e9, processes: 500, fileBytes: 1e9 },
  detectLimitTools(),
)
const searchPath = process.env.PATH ?? ''
const isBoxed = box.isolation.backend === 'bubblewrap'
const skip = !isBoxed
  ? 'bubblewrap is not there, or may not make namespaces'
  : findProgram('podman', searchPath)
    ? false
    : 'podman is not there'
if (skip) process.stderr.write(`The tests of images are skipped: ${skip}.\n`)

type Context = { after(done: () => void): void }

async function place(t: Context, { quotaBytes = 5e9, now = () => new Date() } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-images-'))
  t.after(() => {
    // podman leaves folders that no one may look into.
    execFileSync('chmod', ['-R', 'u+rwX', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  const registry = await Registry.open(t)
  const data = path.join(folder, 'data')
  const images = path.join(data, 'images')
  mkdirSync(images, { recursive: true })
  const podman = new Podman({
    ...{ folder: images, owner: box.owner, mark: {} },
    environment: { PATH: searchPath, CONTAINERS_REGISTRIES_CONF: registry.settings(folder) },
  })
  const trash = new Trash(path.join(data, 'trash'), cleanIn(box))
  const brought = resolvePrograms({
    ...{ node: process.execPath, nice: findProgram('nice', searchPath) },
    prlimit: findProgram('prlimit', searchPath),
  })
  const store = new Images({
    ...{ folder: images, podman, box, brought, trash, quotaBytes, now, registries: [registry.host] },
  })
  const limits = (more: Partial<Limits> = {}): Limits => {
    const made = ['worktree', 'home', 'out'].map((name) => path.join(data, name))
    for (const each of made) mkdirSync(each, { recursive: true })
    const [worktree, home, out] = made as [string, string, string]
    return {
      worktree,
      home,
      out,
      readable: [],
      denied: [],
      environment: {},
      gateway: null,
      network: 'none',
      ...more,
    }
  }
  const open = (name: string, digest?: string) =>
    store.open(imageIn(`${registry.host}/${digest ? `${name.split(':')[0]}@${digest}` : name}`)!)
  return { folder, registry, images, store, trash, podman, limits, open }
}

async function run(within: typeof box, command: string[], limits: Limits) {
  const boxed = within.start(command, limits)
  boxed.stdin.end()
  const [printed, complained, { code }] = await Promise.all([
    text(boxed.stdout),
    text(boxed.stderr),
    boxed.ended,
  ])
  return { printed, complained, code }
}

test('an image is pulled once, known by its digest, and is what programs find around them', {
  skip,
}, async (t) => {
  const { folder, registry, limits, open } = await place(t)
  const layer = tarOf(makeRoot(path.join(folder, 'root')))
  const digest = registry.push('ci:1', layer, {
    env: ['PATH=/usr/bin:/opt/x', 'LANGUAGE_HOME=/opt/x', 'HOME=/root'],
  })
  const image = await open('ci:1')
  assert.equal(image.name, `${registry.host}/ci@${digest}`)
  const within = withImage(box, image)
  assert.equal(within.isolation.image, image.name)
  const { printed, complained, code } = await run(
    within,
    ['sh', '-c', 'cat /etc/in-the-image; ls /usr /usr/bin; echo $PATH $LANGUAGE_HOME $HOME; id -un'],
    limits(),
  )
  assert.equal(code, 0, complained)
  assert.match(printed, /^yes\n/)
  assert.match(printed, /\/usr\/bin:\/opt\/x:\/run\/signalbox \/opt\/x .*data\/home/)
  assert.match(printed, /signalbox|root/)
  // Of the machine's own programs none is there.
  assert.equal(printed.includes('python3') || printed.includes('bwrap') || printed.includes('share'), false)
  // Again by the digest, and by the tag within the hour: no one is asked.
  const asked = registry.asked.length
  assert.equal((await open('ci:1')).folder, image.folder)
  assert.equal((await open('ci', digest)).folder, image.folder)
  assert.equal(registry.asked.length, asked)
})

test('the walls hold around an image: of every attempt to get out that can be tried, none gets through', {
  skip,
}, async (t) => {
  const { folder, registry, open } = await place(t)
  registry.push('ci:1', tarOf(makeRoot(path.join(folder, 'root'))))
  const image = await open('ci:1')
  const played = await play(() => withImage(box, image), box.isolation)
  assert.deepEqual(
    played!.attempts.filter(({ through }) => through),
    [],
  )
  // What takes Perl or Python is not tried where an image has neither.
  assert.ok(played!.attempts.filter(({ isTried }) => isTried).length >= 40)
})

test('what limits the work is the machine’s own, whatever an image calls by that name', {
  skip,
}, async (t) => {
  const { folder, registry, limits, open } = await place(t)
  const root = makeRoot(path.join(folder, 'root'))
  for (const name of ['nice', 'prlimit'])
    writeFileSync(path.join(root, 'usr/bin', name), '#!/bin/sh\necho not limited\n', { mode: 0o755 })
  registry.push('ci:1', tarOf(root))
  const { printed, complained } = await run(
    withImage(box, await open('ci:1')),
    ['sh', '-c', 'cat /proc/self/limits'],
    limits(),
  )
  assert.match(printed, /Max file size +1000000000 /, complained)
  assert.match(printed, /Max processes +500 /)
})

test('a gateway and an agent of the machine’s reach an image that has no Node', { skip }, async (t) => {
  const { folder, registry, limits, open } = await place(t)
  registry.push('ci:1', tarOf(makeRoot(path.join(folder, 'root'))))
  const within = withImage(box, await open('ci:1'))
  const agent = path.join(folder, 'agent')
  mkdirSync(agent)
  writeFileSync(path.join(agent, 'cli.mjs'), 'console.log(process.argv[1], process.execPath)')
  const socket = path.join(folder, 'model.sock')
  const gateway = http.createServer((_, response) => response.end('a model')).listen(socket)
  t.after(() => gateway.close())
  await once(gateway, 'listening')
  const given = limits({ programs: [agent], tools: ['/usr/bin'], gateway: socket })
  const started = await run(within, [process.execPath, path.join(agent, 'cli.mjs')], given)
  assert.equal(
    started.printed,
    `/run/signalbox/machine${agent}/cli.mjs /run/signalbox/node\n`,
    started.complained,
  )
  const asked = await run(
    within,
    [
      process.execPath,
      '-e',
      `fetch('${within.gatewayUrl({ url: '' })}').then((r) => r.text()).then(console.log)`,
    ],
    given,
  )
  assert.equal(asked.printed, 'a model\n', asked.complained)
})

/** Something of the machine's that anyone may write to, and that an image has no business with. */
function anOutside(folder: string): string {
  const outside = path.join(folder, 'outside')
  mkdirSync(outside)
  chmodSync(outside, 0o777)
  writeFileSync(path.join(outside, 'secret'), 'of the machine')
  chmodSync(path.join(outside, 'secret'), 0o666)
  return outside
}

test('an archive that writes out of its root writes nothing there', { skip }, async (t) => {
  const { folder, registry, open } = await place(t)
  const outside = anOutside(folder)
  const good = tarOf(makeRoot(path.join(folder, 'root')))
  const up = '../'.repeat(12).slice(0, -1)
  const archives: Entry[][] = [
    [{ name: `${up}${outside}/by-name`, content: 'escaped' }],
    [{ name: `${outside}/by-full-name`, content: 'escaped' }],
    [
      { name: './through', type: '2', link: outside },
      { name: './through/by-link', content: 'escaped' },
    ],
    [
      { name: './second', type: '1', link: path.join(outside, 'secret') },
      { name: './second', content: 'overwritten' },
    ],
    [
      { name: './file', type: '2', link: path.join(outside, 'secret') },
      { name: './file', content: 'overwritten' },
    ],
  ]
  for (const [at, entries] of archives.entries()) {
    registry.push(`bad:${at}`, tarWith(entries, good))
    // Unpacking may refuse such an archive with a reason; otherwise nothing of it leaves the root.
    const opened = await open(`bad:${at}`).catch((error: unknown) => error)
    if (opened instanceof Error) assert.ok(opened instanceof ImageError, String(opened))
    assert.deepEqual(readdirSync(outside), ['secret'])
    assert.equal(readFileSync(path.join(outside, 'secret'), 'utf8'), 'of the machine')
  }
})

test('what an image calls a link, a device or another user’s program does nothing to the machine', {
  skip,
}, async (t) => {
  const { folder, registry, limits, open } = await place(t)
  const outside = anOutside(folder)
  const good = makeRoot(path.join(folder, 'root'))
  for (const name of ['tmp', 'home']) execFileSync('rm', ['-rf', path.join(good, name)])
  const links = ['tmp', 'home', 'run', 'out', 'dev', 'proc', 'sys'].map(
    // As bubblewrap sees the machine while it builds a box.
    (name) => ({ name: `./${name}`, type: '2', link: `/oldroot${outside}` }) as const,
  )
  const layer = tarWith(
    [
      ...links,
      { name: './usr/bin/become', content: '#!/bin/sh\nid\n', mode: 0o6755 },
      { name: './etc/null', type: '3' },
      { name: './etc/pipe', type: '6' },
      { name: './etc/closed', type: '5', mode: 0 },
      { name: './secret', type: '2', link: path.join(outside, 'secret') },
    ],
    tarOf(good),
  )
  registry.push('bad:1', layer)
  const image = await open('bad:1')
  const lines = 'ls -la / /etc; cat /secret; for to in /tmp $HOME /out; do echo mine > $to/mine; done; become'
  const { printed, complained } = await run(withImage(box, image), ['sh', '-c', lines], limits())
  assert.deepEqual(readdirSync(outside), ['secret'], complained)
  assert.equal(printed.includes('of the machine'), false)
  assert.match(printed, /^d.* tmp$/m)
  assert.match(printed, /^d.* out$/m)
  assert.doesNotMatch(printed, /^[cp].* (null|pipe)$/m)
  assert.doesNotMatch(printed, /euid/)
  assert.equal(lstatSync(path.join(image.folder, 'usr/bin/become')).mode & 0o6000, 0)
  assert.equal(existsSync(path.join(image.folder, 'etc/null')), false)
})

test('a link of the image in the place of a file that a box is given is not followed', {
  skip,
}, async (t) => {
  const { folder, registry, limits, open } = await place(t)
  const root = makeRoot(path.join(folder, 'root'))
  for (const name of ['passwd', 'group']) {
    execFileSync('rm', [path.join(root, 'etc', name)])
    symlinkSync(`/oldroot/etc/${name}`, path.join(root, 'etc', name))
  }
  registry.push('ci:1', tarOf(root))
  const ran = await run(withImage(box, await open('ci:1')), ['sh', '-c', 'cat /etc/passwd'], limits())
  assert.equal(ran.printed, '')
  assert.match(ran.complained, /No such file/)
})

test('what cannot be worked in, or comes from elsewhere, is refused with what helps', { skip }, async (t) => {
  const { folder, registry, images, store, open } = await place(t, { quotaBytes: 6e7 })
  const refused = (name: string) =>
    open(name).then(
      () => assert.fail(`${name} was taken.`),
      (error: ImageError) => error.message,
    )
  const empty = path.join(folder, 'empty')
  mkdirSync(empty)
  registry.push('empty:1', tarOf(empty))
  assert.match(await refused('empty:1'), /has no shell .* Use one based on Debian/)
  const small = makeRoot(path.join(folder, 'small'))
  for (const library of execFileSync('find', [small, '-name', 'libstdc++*'], { encoding: 'utf8' })
    .trim()
    .split('\n'))
    execFileSync('rm', [library])
  registry.push('small:1', tarOf(small))
  assert.match(await refused('small:1'), /can’t run the runner’s Node/)
  registry.push('windows:1', tarOf(makeRoot(path.join(folder, 'root'))), { os: 'windows' })
  assert.match(await refused('windows:1'), /windows/i)
  assert.match(await refused('nobody:1'), /could not be pulled/)
  const large = tarWith([{ name: 'zeros', content: '\0'.repeat(1e8) }])
  registry.push('large:1', large)
  assert.match(await refused('large:1'), /larger than|more than/)
  await assert.rejects(store.open(imageIn('registry.example.com/ci:1')!), {
    message:
      /registry\.example\.com, which this runner does not use\. .* to allow registry\.example\.com for images\./,
  })
  // Nothing of it counts as an image that is there.
  assert.deepEqual(
    readdirSync(images).filter((name) => name.endsWith('.json')),
    [],
  )
})

test('a tag is asked for again after an hour, and what no one used for two weeks goes', {
  skip,
}, async (t) => {
  let now = new Date()
  const { folder, registry, images, store, open, podman } = await place(t, { now: () => now })
  const root = makeRoot(path.join(folder, 'root'))
  registry.push('ci:1', tarOf(root))
  const first = await open('ci:1')
  writeFileSync(path.join(root, 'etc/newer'), 'yes')
  registry.push('ci:1', tarOf(root))
  assert.equal((await open('ci:1')).name, first.name)
  now = new Date(now.getTime() + 3_700_000)
  const second = await open('ci:1')
  assert.notEqual(second.name, first.name)
  assert.equal(readFileSync(path.join(second.folder, 'etc/newer'), 'utf8'), 'yes')
  now = new Date(now.getTime() + 13 * 86_400_000)
  await open('ci', second.name.split('@')[1]!)
  now = new Date(now.getTime() + 2 * 86_400_000)
  await store.tidy()
  assert.deepEqual(
    readdirSync(path.join(images, 'roots')).map((name) => path.join(images, 'roots', name)),
    [second.folder],
  )
  const bounds = { mostBytes: 1e9, longestMs: 60_000 }
  assert.equal((await podman.run('podman images --quiet', [], bounds)).trim().split('\n').length, 1)
})
