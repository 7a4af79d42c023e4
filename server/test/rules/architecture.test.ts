import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

/** The architecture, held by a test: who may import whom. A newcomer reads this table before anything else. */
const mayImport: Record<string, string[]> = {
  contract: [],
  // What others install to call us: nothing of ours comes with it.
  client: [],
  // What people type, on machines without a server too.
  cli: ['contract', 'client'],
  // The app takes shapes from the contract and nothing from the server.
  web: ['contract'],
  // The runner is installed alone, on the customer's machine.
  runner: ['contract'],
  'server/infra': ['contract'],
  'server/domain': ['contract', 'server/infra'],
  'server/faces': [
    'contract',
    'server/domain',
    'server/infra/clock.ts',
    'server/infra/coalesced.ts',
    // Which failures mean that it is not there, and nothing else of the database.
    'server/infra/db/away.ts',
    'server/infra/every.ts',
    'server/infra/http',
    'server/infra/jobs',
    'server/infra/log.ts',
    'server/infra/metrics.ts',
    'server/infra/secrets.ts',
  ],
  // How we reach out: they implement ports and know nothing else of the domain.
  'server/integrations': [
    'contract',
    'server/domain/ports',
    'server/infra/http',
    'server/infra/clock.ts',
    'server/infra/signatures.ts',
  ],
  // The sign-in library writes rows of its own, with our ids and our way to hash a password.
  'server/integrations/identity': [
    'contract',
    'server/domain/ports',
    'server/infra/ids.ts',
    'server/infra/secrets.ts',
  ],
  // The wiring puts the layers together.
  'server/app': ['contract', 'server/domain', 'server/faces', 'server/infra', 'server/integrations'],
  // Commands stand above it; those of people are typed beside the operator's.
  server: ['contract', 'server', 'cli'],
  demo: ['contract', 'server'],
  // Acceptance tests may use what is not part of the product: doubles of tools, an identity provider and test timeouts.
  acceptance: [
    'contract',
    'client',
    'server/test/doubles',
    'server/test/hosts/identity-provider.ts',
    'server/test/patience.ts',
    // And the model that coding agents are given.
    'runner/test/model',
  ],
  // The bench opens the same browser as the acceptance tests.
  // And it measures the runner's worktrees, which only the runner can make.
  bench: [
    ...['contract', 'server', 'acceptance/app/launch-browser.ts'],
    ...['runner/box/measure.ts', 'runner/git/store.ts', 'runner/test/origin.ts'],
  ],
  // What runs the tests has what they share.
  scripts: [
    ...['contract', 'client', 'server', 'acceptance/shared-demo.ts'],
    ...['web/build.ts', 'web/manual/build.ts', 'runner/build.ts', 'cli/bundle.ts'],
  ],
}

/** What the domain takes from infra: mechanisms of storage and time, nothing of HTTP. */
const domainMayUse = [
  'db',
  'clock.ts',
  'cluster.ts',
  'ids.ts',
  'jobs',
  'secrets.ts',
  'base62.ts',
  'merkle.ts',
  'signed-note.ts',
  'signatures.ts',
  'timestamps.ts',
]

/**
 * The rooms of the domain, from the ground up: none imports one that comes after it in this list. Rooms of one subject
 * are a wing, which is a folder; wings come in the same order.
 */
const rooms = [
  ...'context.ts on-replica.ts errors.ts parse-json.ts text.ts plain-text.ts days.ts moments.ts'.split(' '),
  ...'page.ts keys.ts wall-clock.ts roles.ts shapes.ts proposed-story.ts ports'.split(' '),
  ...wing('record', 'audit seals months anchors streams outbox idempotency managed'),
  ...wing('accounts', 'tokens workspaces people invitations provisioning notifications'),
  ...wing('tools', 'connections webhooks'),
  ...wing(
    'work',
    'teams places repositories bindings policies stories views requirements files evidence runs',
  ),
  ...wing('work', 'changes pull-requests decisions timeline chat insights night-report search'),
  ...wing(
    'engine',
    'machine orders lifecycle answers local surveys merging supervision rehearsals suggestions runners',
  ),
  ...wing('reach', 'mirror conversations'),
  ...wing('on-call', 'services senders alerts signals uptime sources incident-notifications incidents'),
  ...wing('practice', 'project'),
  ...wing('configuration', 'resources plans'),
  ...wing('installation', 'backups restores key-rotation retention erasure system'),
]

function wing(name: string, rooms: string): string[] {
  return rooms.split(' ').map((room) => `${name}/${room}`)
}

/** The rooms of the web app, likewise. `words` holds how a noun reads where others show it, too. */
const webRooms = [
  'style.css api',
  'browser ui words',
  'managed settings sign-in workspaces chat connections members tokens single-sign-on webhooks account',
  'notifications',
  'policies runners changes runs stories teams requirements decisions',
  'incidents sources services',
  'audit insights night-report practice system',
  'shell',
  'router.tsx app.tsx main.ts',
].flatMap((floor) => floor.split(' '))

const root = path.join(import.meta.dirname, '..', '..', '..')

interface Source {
  file: string
  text: string
  imports: string[]
}

const sources = await readSources()

async function readSources(): Promise<Source[]> {
  const found: Source[] = []
  for (const top of [
    'contract',
    'client',
    'cli',
    'server',
    'demo',
    'web',
    'acceptance',
    'bench',
    'scripts',
    'runner',
  ]) {
    for (const entry of await readdir(path.join(root, top), { recursive: true })) {
      if (!/\.tsx?$/.test(entry) || entry.includes('node_modules')) continue
      const file = path.join(top, entry)
      const text = await readFile(path.join(root, file), 'utf8')
      found.push({ file, text, imports: importsOf(file, text) })
    }
  }
  return found
}

function importsOf(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
  return specifiers.flatMap((specifier) => {
    if (specifier.startsWith('.')) return [path.join(path.dirname(file), specifier)]
    if (specifier.startsWith('@signalbox/')) return [specifier.slice('@signalbox/'.length)]
    return []
  })
}

const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith('server/test/')
const layerOf = (file: string) =>
  Object.keys(mayImport)
    .filter((layer) => file.startsWith(`${layer}/`))
    .toSorted((a, b) => b.length - a.length)[0]!
const within = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)

const roomOf = (file: string, house = 'server/domain') => {
  const [first, second] = file.slice(house.length + 1).split('/') as [string, string | undefined]
  return rooms.includes(`${first}/${second}`) ? `${first}/${second}` : first.replace('.types.ts', '.ts')
}
const isStore = (file: string) => /(^|-)store\.ts$/.test(path.basename(file))

/** A file directly in one of these is a room on its own; everywhere else the folder is. */
const corridors = [
  ...['runner', 'cli', 'demo', 'server', 'server/domain', 'server/infra', 'server/faces', 'server/faces/app'],
  'web/src',
]
const folderOf = (file: string) => (corridors.includes(path.dirname(file)) ? file : path.dirname(file))

test('imports follow the layers', () => {
  const breaches: string[] = []
  for (const { file, imports } of sources.filter((source) => !isTest(source.file))) {
    const layer = layerOf(file)
    for (const target of imports) {
      const allowed = [layer, ...mayImport[layer]!]
      if (!allowed.some((folder) => within(target, folder))) breaches.push(`${file} imports ${target}`)
      if (layer === 'server/domain' && within(target, 'server/infra')) {
        const part = target.slice('server/infra/'.length).split('/')[0]!
        if (!domainMayUse.includes(part)) breaches.push(`${file} imports ${target}`)
      }
    }
  }
  assert.deepEqual(breaches, [])
})

test('a face imports no other face, only the room they share', () => {
  const faceOf = (file: string) => /^server\/faces\/([^/]+)/.exec(file)?.[1]
  const breaches = sources
    .filter(({ file }) => faceOf(file) && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((target) => ![faceOf(file), 'http', undefined].includes(faceOf(target)))
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(breaches, [])
})

test('the rooms of the domain stand on those below them', () => {
  assert.deepEqual(reachingUp('server/domain', rooms), [])
})

test('wings stand on those below them, too', () => {
  const order = [...new Set(rooms.map((room) => room.split('/')[0]!))]
  assert.equal(order.length, new Set(order).size)
  const wingOf = (file: string) => roomOf(file).split('/')[0]!
  const breaches = sources
    .filter(({ file }) => within(file, 'server/domain') && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((target) => within(target, 'server/domain'))
        .filter((target) => order.indexOf(wingOf(target)) > order.indexOf(wingOf(file)))
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(breaches, [])
})

test('the page of the architecture lists the wings and their rooms, in this order', async () => {
  const page = await readFile(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = page.slice(page.indexOf('| Wing | Rooms |')).split('\n\n')[0]!.split('\n').slice(3)
  const listed = rows.flatMap((row) => {
    const [wing, ...named] = [...row.matchAll(/`([a-z-]+)(?=\/?`)/g)].map(([, name]) => name!)
    return named.map((room) => `${wing}/${room}`)
  })
  assert.deepEqual(
    listed,
    rooms.filter((room) => room.includes('/')),
  )
})

test('and the groups of the tests of the whole server', async () => {
  const page = await readFile(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  const line = page.split('\n').find((line) => line.includes('`server/test/` has'))!
  const named = [...line.matchAll(/`([a-z-]+)\/`/g)].map(([, name]) => name).filter((name) => name !== 'live')
  const folders = sources.flatMap(({ file }) => /^server\/test\/([^/]+)\//.exec(file)?.[1] ?? [])
  assert.deepEqual(named.toSorted(), [...new Set(folders)].sort())
})

test('the app’s operations stand in wings of the domain, beside what is live', () => {
  const wings = new Set(rooms.filter((room) => room.includes('/')).map((room) => room.split('/')[0]!))
  const folders = new Set(
    sources
      .map(({ file }) => /^server\/faces\/app\/([^/]+)\//.exec(file)?.[1])
      .filter((folder) => folder !== undefined),
  )
  assert.deepEqual([...folders].filter((folder) => !wings.has(folder)).sort(), ['live'])
})

test('the rooms of the web app stand on those below them', () => {
  assert.deepEqual(reachingUp('web/src', webRooms), [])
})

function reachingUp(house: string, order: string[]): string[] {
  const floor = (file: string) => {
    const room = roomOf(file, house)
    assert.ok(order.includes(room), `${room} has no place in the list of rooms`)
    return order.indexOf(room)
  }
  return sources
    .filter(({ file }) => within(file, house) && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((target) => within(target, house) && floor(target) > floor(file))
        .map((target) => `${file} imports ${target}`),
    )
}

test('a room’s store is its own, and the rooms of the engine share theirs', () => {
  const ownerOf = (file: string) => (within(file, 'server/domain/engine') ? 'engine' : roomOf(file))
  const breaches = sources
    .filter(({ file }) => within(file, 'server/domain') && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((target) => isStore(target) && ownerOf(target) !== ownerOf(file))
        .map((target) => `${file} imports ${target}`),
    )
  assert.deepEqual(breaches, [])
})

test('files form no cycle', () => {
  assert.deepEqual(cyclesOf(new Map(sources.map(({ file, imports }) => [file, imports]))), [])
})

test('folders form no cycle', () => {
  const graph = new Map<string, Set<string>>()
  for (const { file, imports } of sources.filter((source) => !isTest(source.file))) {
    const folder = folderOf(file)
    const others = imports.map(folderOf).filter((other) => other !== folder)
    graph.set(folder, new Set([...(graph.get(folder) ?? []), ...others]))
  }
  assert.deepEqual(cyclesOf(graph), [])
})

/** Every way that leads back to where it began. */
function cyclesOf(graph: Map<string, Iterable<string>>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (node: string, trail: string[]) => {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '))
    if (done.has(node) || trail.includes(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}

test('a handle that writes exists only in infra, and is taken only by change.ts', () => {
  const writers = sources
    .filter(({ file }) => within(file, 'server') && !isTest(file) && file !== 'server/infra/db/db.ts')
    .filter(
      ({ file, text }) =>
        /\b(inTransaction|inOneStatement)\b/.test(text) ||
        (!within(file, 'server/infra') && /\bKysely\b|\bpool\.(query|connect)\(/.test(text)),
    )
    .map(({ file }) => file)
  assert.deepEqual(writers, ['server/domain/record/audit/change.ts'])
})

// PostgreSQL refuses them to a reader; this is for those who read in a transaction that may write.
test('a statement that writes, or holds the rows it reads, is run by `write`', () => {
  const named =
    /const (\w+) =\s+(?:statement|reads(?:Apart|Slowly)?\.\w+)(?:<[^(]*>)?(?:\([^()]*\))?\(\s*(['`])(.*?)\2,?\s*\)/gs
  const writes = /\b(insert into|update \w+ set|delete from|for (no key )?update|for (key )?share|nextval)\b/
  const breaches: string[] = []
  let found = 0
  for (const { file, text } of sources.filter(({ file }) => within(file, 'server') && !isTest(file))) {
    for (const [, name, , template] of text.matchAll(named)) {
      if (!writes.test(template!)) continue
      found += 1
      const reads = `\\bread(?:Apart|Slowly)?\\(\\s*\\w+,[^)]*?\\b${name}\\b|const ${name} =\\s+reads`
      if (new RegExp(reads).test(text)) breaches.push(`${file}: ${name}`)
    }
  }
  assert.ok(found > 0)
  assert.deepEqual(breaches, [])
})

test('others are called over HTTP in one place, and over a WebSocket in another', () => {
  const calls = /(await|return|=>?) fetch\(|import \{[^}]*\brequest\b[^}]*\} from 'node:https?'|from 'undici'/
  const callers = sources
    .filter(({ file, text }) => within(file, 'server') && !isTest(file) && calls.test(text))
    .map(({ file }) => file)
  assert.deepEqual(callers, ['server/infra/http/client.ts', 'server/infra/http/websocket-client.ts'])
})

test('the sign-in library, which writes past the audit log, is known in one place', () => {
  const users = sources
    .filter(({ file }) => !isTest(file))
    .filter(({ text }) => /from '(better-auth|@better-auth)\b/.test(text))
    .map(({ file }) => path.dirname(file))
  assert.deepEqual([...new Set(users)], ['server/integrations/identity'])
})

test('SQL in the domain stands in stores, and in the few files that are a statement themselves', () => {
  const alone = [
    'server/domain/record/audit/change.ts',
    'server/domain/record/audit/create-partitions.ts',
    'server/domain/keys.ts',
  ]
  const breaches = sources
    .filter(({ file }) => within(file, 'server/domain') && !isTest(file) && !isStore(file))
    .filter(
      ({ file, text }) =>
        /\bsql`|\b(statement|(reads|readsApart|readsSlowly|writes)\.\w+)[<(]/.test(text) &&
        !alone.includes(file),
    )
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})

// A signal outlives what listens to it: the process's goes with the process, an order's with the order.
test('every listener of an abort signal stops listening', () => {
  const count = (text: string, verb: string) => text.split(`${verb}EventListener('abort'`).length - 1
  const listeners = sources.filter(
    ({ file, text }) => /^(server|runner|client|cli)\//.test(file) && !isTest(file) && count(text, 'add') > 0,
  )
  assert.ok(listeners.length > 0)
  const breaches = listeners.filter(({ text }) => count(text, 'remove') < count(text, 'add'))
  assert.deepEqual(
    breaches.map(({ file }) => file),
    [],
  )
})

test('no drawer is named utils, helpers, common, types, lib or manager', () => {
  const drawers = sources.filter(({ file }) =>
    /(^|\/)(utils?|helpers?|common|types|lib|manager)(\.ts|\/)/.test(file),
  )
  assert.deepEqual(
    drawers.map(({ file }) => file),
    [],
  )
})

test('the app takes types from the contract, and values only where there is no schema to send to a browser', () => {
  const schemaless = [
    'agent-programs.ts',
    'runner-install-command.ts',
    'connection-kinds.ts',
    'executor-names.ts',
    'guard/finding.ts',
    'isolation.ts',
    'limits.ts',
    'line-colours.ts',
    'model-tools.ts',
    'money.ts',
    'note-needed.ts',
    'notifications.ts',
    'position.ts',
    'presence.ts',
    'visible.ts',
    'remedy.ts',
    'resource-kinds.ts',
    'reviewers.ts',
    'roles.ts',
    'test-alert.ts',
    'token.ts',
    'webhook-events.ts',
  ]
  const breaches = sources
    .filter(({ file }) => within(file, 'web'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^import (?!type )[^']*'@signalbox\/contract\/([^']+)'/gm)]
        .filter(([, part]) => !schemaless.includes(part!))
        .map(([, part]) => `${file} imports contract/${part}`),
    )
  const importing = sources
    .filter(({ file }) => schemaless.some((part) => file === `contract/${part}`))
    .filter(({ text }) => /\b(from|import)\s*\(?\s*'/.test(text))
    .map(({ file }) => file)
  assert.deepEqual([...breaches, ...importing], [])
})
