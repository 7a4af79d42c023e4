import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { copyTemplate, digestOfSources } from './template.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-template-'))
after(() => rm(folder, { recursive: true, force: true }))
/** Long enough to be taken for one. */
const password = 'a password for tests that is long enough'

test('new data folders, filled at the same moment, are each whole, and closed to others', async () => {
  const copies = ['one', 'two'].map((name) => path.join(folder, name))
  await Promise.all(copies.map((copy) => copyTemplate(copy)))
  for (const copy of copies) {
    assert.deepEqual((await readdir(copy)).sort(), ['postgres', 'postgres.password', 'secret.key'])
    const cluster = path.join(copy, 'postgres')
    assert.equal((await stat(cluster)).mode & 0o077, 0)
    assert.match(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8'), /^\d+\n$/)
    assert.ok(!(await readdir(cluster)).includes('postmaster.pid'), 'nobody serves from it yet')
  }
})

test('a data folder that holds anything is left as it is', async () => {
  await writeFile(path.join(folder, 'secret.key'), 'mine')
  const before = await readdir(folder)
  await copyTemplate(folder)
  assert.deepEqual(await readdir(folder), before)
  assert.equal(await readFile(path.join(folder, 'secret.key'), 'utf8'), 'mine')
})

test('a template that was left half made is never copied; the next start makes a whole one', async () => {
  const templates = path.join(folder, 'templates')
  const data = path.join(folder, 'from half')
  const write = async (into: string, name: string, text: string) => {
    await mkdir(path.dirname(path.join(into, name)), { recursive: true })
    await writeFile(path.join(into, name), text)
  }
  const half = async (into: string) => {
    await write(into, 'secret.key', 'half')
    throw new Error('out of space')
  }
  await assert.rejects(copyTemplate(data, undefined, { templates, make: half }), /out of space/)
  assert.deepEqual(await readdir(templates), [], 'nothing of it is left')
  // One who was killed leaves it as it is.
  let left = ''
  const killed = (into: string) => {
    left = into
    return half(into)
  }
  await assert.rejects(copyTemplate(data, undefined, { templates, make: killed }))
  await write(left, 'secret.key', 'half')
  assert.deepEqual(await readdir(data).catch(() => []), [])
  await copyTemplate(data, undefined, {
    templates,
    async make(into) {
      await write(into, 'secret.key', 'whole')
      await write(into, 'postgres.password', password)
      await write(into, 'postgres/PG_VERSION', '18\n')
    },
  })
  assert.equal(await readFile(path.join(data, 'secret.key'), 'utf8'), 'whole')
  assert.equal(await readFile(path.join(data, 'postgres', 'PG_VERSION'), 'utf8'), '18\n')
})

test('a template that has come with a copied checkout and is another’s is rebuilt', async () => {
  const templates = path.join(folder, 'copied')
  let made = 0
  const make = async (into: string) => {
    made += 1
    await mkdir(path.join(into, 'postgres'), { recursive: true })
    await writeFile(path.join(into, 'secret.key'), `${made}`)
    await writeFile(path.join(into, 'postgres.password'), password)
    await writeFile(path.join(into, 'postgres', 'PG_VERSION'), '18\n')
  }
  const copy = (name: string) => copyTemplate(path.join(folder, name), undefined, { templates, make })
  await copy('first')
  await copy('second')
  assert.equal(made, 1)
  const [template] = await readdir(templates)
  // As if root had copied everything: the copied cluster belongs to root, no matter who owned it before.
  await writeFile(path.join(templates, template!, 'owner'), '123456')
  await copy('third')
  assert.equal(made, 2)
  // As it is where the cluster lay elsewhere and did not come along.
  await rm(path.join(templates, template!, 'postgres'), { recursive: true })
  await copy('fourth')
  assert.equal(made, 3)
  assert.equal(await readFile(path.join(folder, 'fourth', 'secret.key'), 'utf8'), '3')
})

test('a template belongs to one state of the sources, one installation and one platform', async () => {
  const root = path.join(folder, 'root')
  for (const name of ['contract', 'demo', 'server/migrations'])
    await mkdir(path.join(root, name), { recursive: true })
  const seen = new Set<string>()
  const isNew = (platform?: string) => {
    const digest = digestOfSources(root, platform)
    return seen.size < seen.add(digest).size
  }
  for (const [file, matters] of [
    ['package-lock.json', true],
    ['contract/story.ts', true],
    ['server/migrations/0001_workspaces.sql', true],
    ['demo/script.ts', true],
    ['demo/template.test.ts', false],
  ] as const)
    for (const text of ['one', 'two']) {
      await writeFile(path.join(root, file), text)
      assert.equal(isNew('linux arm64'), matters, `${file} ${text}`)
    }
  assert.ok(isNew('linux x64'))
  assert.ok(isNew('darwin arm64'))
})
