import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { render } from './chart-template.ts'

/**
 * `npm run test:chart`: the Helm chart, rendered and held against the schemas that Kubernetes, KEDA and the Prometheus
 * operator publish. npm has no engine for Helm's templates (go-text-template knows neither `if` nor `range`; helm-ts and
 * its like call the program), so they are plain enough for a reader of thirty lines, whose output is compared with that
 * of Go's text/template, which Helm is built on, where Go is installed. No cluster takes part.
 */

const repository = path.resolve(import.meta.dirname, '..', '..')
const chart = path.join(repository, 'deploy', 'chart')
const cache = path.join(repository, 'node_modules', '.cache', 'chart')
const run = promisify(execFile)
const packages = {
  'kubernetes-models': '5.1.0',
  '@kubernetes-models/prometheus-operator': '6.0.0',
  '@kubernetes-models/keda': '2.0.0',
  yaml: '2.9.1',
}

type Thing = { apiVersion: string; kind: string; metadata: { name: string } }
interface Models {
  new (thing: Thing): { validate(): void }
}

let folder: string
let parseAll: (text: string) => unknown[]
let values: Record<string, unknown>
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-chart-'))
  await mkdir(cache, { recursive: true })
  await writeFile(
    path.join(cache, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages }),
  )
  const usual = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...usual], { cwd: cache })
  const { parseAllDocuments } = createRequire(path.join(cache, 'index.js'))('yaml')
  parseAll = (text) =>
    parseAllDocuments(text).map((document: { errors: Error[]; toJS(): unknown }) => {
      assert.deepEqual(document.errors, [])
      return document.toJS()
    })
  values = parseAll(await readFile(path.join(chart, 'values.yaml'), 'utf8'))[0] as typeof values
})
after(() => rm(folder, { recursive: true, force: true }))

/** As an operator would set them: nothing, everything on, everything off. */
const variants: Record<string, object> = {
  defaults: {},
  everything: {
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    runner: {
      ...{ enabled: true, args: ['--labels', 'gpu'], env: [{ name: 'OPENAI_API_KEY', value: 'x' }] },
      jobs: { enabled: true, query: '?labels=gpu&agents=codex', runtimeClassName: 'kata', hostUsers: true },
    },
    networkPolicy: {
      jobsTo: [{ ipBlock: { cidr: '192.0.2.0/24' } }, { ipBlock: { cidr: '2001:db8::/32' } }],
    },
    server: {
      env: [
        { name: 'LOG_LEVEL', value: 'debug' },
        { name: 'AUDIT_ARCHIVE_DIR', value: '/archive' },
      ],
      volumes: [
        { name: 'archive', persistentVolumeClaim: { claimName: 'signalbox-archive' } },
        { name: 'authority', configMap: { name: 'signalbox-authority' } },
      ],
      volumeMounts: [
        { name: 'archive', mountPath: '/archive' },
        { name: 'authority', mountPath: '/authority', readOnly: true },
      ],
      tolerations: [{ key: 'a', operator: 'Exists' }],
    },
  },
  little: { networkPolicy: { enabled: false }, server: { replicas: 1 } },
}

function merged<T>(one: T, other: unknown): T {
  if (!isPlain(one) || !isPlain(other)) return (other ?? one) as T
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      merged(one[name], other[name]),
    ]),
  ) as T
}
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const topOf = (variant: string) => ({
  Release: { Name: 'signalbox' },
  Values: merged(values, variants[variant]),
})

async function rendered(variant: string): Promise<Thing[]> {
  const things: Thing[] = []
  for (const file of await readdir(path.join(chart, 'templates')))
    things.push(
      ...parseAll(render(await readFile(path.join(chart, 'templates', file), 'utf8'), topOf(variant))).filter(
        (thing): thing is Thing => thing !== null,
      ),
    )
  return things
}

const moduleOf = ({ apiVersion, kind }: Thing) =>
  `${operators.find(([group]) => apiVersion.startsWith(group))?.[1] ?? 'kubernetes-models'}/${apiVersion}/${kind}`

const operators = [
  ['monitoring.coreos.com/', '@kubernetes-models/prometheus-operator'],
  ['keda.sh/', '@kubernetes-models/keda'],
] as const

for (const variant of Object.keys(variants)) {
  test(`the schemas of Kubernetes take what is rendered with ${variant}`, async () => {
    for (const thing of await rendered(variant)) {
      const file = path.join(cache, 'node_modules', `${moduleOf(thing)}.js`)
      const model = (await import(pathToFileURL(file).href)) as Record<string, Models>
      assert.doesNotThrow(() => new model[thing.kind]!(thing).validate(), `${variant}: ${thing.kind}`)
    }
  })

  test(`no field is unknown to Kubernetes with ${variant}`, async () => {
    const place = path.join(folder, variant)
    await mkdir(place)
    await symlink(path.join(cache, 'node_modules'), path.join(place, 'node_modules'))
    const lines = (await rendered(variant)).map(
      (thing, at) =>
        `import type { I${thing.kind} as T${at} } from '${moduleOf(thing)}'\nexport const thing${at}: T${at} = ${JSON.stringify(thing)}\n`,
    )
    await writeFile(path.join(place, 'check.ts'), lines.join(''))
    const tsc = path.join(repository, 'node_modules', '.bin', 'tsc')
    const strict = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ]
    const failure = await run(tsc, [...strict, 'check.ts'], { cwd: place }).then(
      () => '',
      (error) => error.stdout,
    )
    assert.equal(failure, '')
  })

  test(`Go's own engine renders the same with ${variant}`, {
    skip: !hasGo() && 'Go is not installed',
  }, async () => {
    const program = path.join(folder, 'render.go')
    if (!existsSync(program)) await writeFile(program, goProgram)
    for (const file of await readdir(path.join(chart, 'templates'))) {
      const template = path.join(chart, 'templates', file)
      const top = path.join(folder, 'top.json')
      await writeFile(top, JSON.stringify(topOf(variant)))
      const env = { ...process.env, GOCACHE: path.join(folder, 'go'), GO111MODULE: 'off' }
      const { stdout } = await run('go', ['run', program, template, top], { env })
      assert.deepEqual(
        parseAll(stdout),
        parseAll(render(await readFile(template, 'utf8'), topOf(variant))),
        file,
      )
    }
  })
}

test('every setting of the chart is one that the server knows, and no secret is in it', async () => {
  const known = await readFile(path.join(repository, 'docs', 'configuration.md'), 'utf8')
  const isServers = ({ kind }: Thing) => !['StatefulSet', 'ScaledJob'].includes(kind)
  const text = JSON.stringify((await rendered('everything')).filter(isServers))
  const names = [...text.matchAll(/"name":"([A-Z][A-Z_]+)"/g)].map(([, name]) => name!)
  assert.ok(names.length >= 9)
  for (const name of names) assert.ok(known.includes(`\`${name}\``), name)
  for (const name of secrets(known)) assert.doesNotMatch(text, new RegExp(`"name":"${name}","value"`))
})

test('every secret of the server can be in the Secret, and the migration has those of the database and all volumes', async () => {
  const known = await readFile(path.join(repository, 'docs', 'configuration.md'), 'utf8')
  const things = await rendered('everything')
  const podOf = (kind: string) =>
    (things.find((thing) => thing.kind === kind) as unknown as { spec: { template: { spec: Pod } } }).spec
      .template.spec
  const references = ({ containers }: Pod) =>
    containers[0]!.env.flatMap(({ name, valueFrom }) =>
      valueFrom ? [[name, valueFrom.secretKeyRef.key]] : [],
    )
  const [server, migration] = [podOf('Deployment'), podOf('Job')]
  const named = secrets(known).map((name) => [
    name,
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  ])
  assert.deepEqual(references(server).toSorted(), named.toSorted())
  const ofDatabase = named.filter(([name]) => /^(DATABASE_(DIRECT_)?URL|SECRET_KEY)/.test(name!))
  assert.equal(ofDatabase.length, 4)
  assert.deepEqual(references(migration).toSorted(), ofDatabase.toSorted())
  assert.deepEqual(migration.volumes, server.volumes)
  assert.deepEqual(migration.containers[0]!.volumeMounts, server.containers[0]!.volumeMounts)
  assert.equal(server.volumes.length, 4)
})

interface Pod {
  containers: {
    env: { name: string; valueFrom?: { secretKeyRef: { key: string } } }[]
    volumeMounts: unknown[]
  }[]
  volumes: unknown[]
}

/** The settings that can be read from a file. */
const secrets = (known: string) => [...known.matchAll(/`([A-Z_]+)_FILE`/g)].map(([, name]) => name!)

interface Policy extends Thing {
  spec: {
    podSelector: { matchLabels: Record<string, string> }
    policyTypes: string[]
    ingress?: unknown
    egress: { to: unknown[]; ports: { port: number }[] }[]
  }
}
interface Jobs extends Thing {
  spec: {
    jobTargetRef: {
      template: {
        metadata: { labels: Record<string, string> }
        spec: { containers: { args: string[] }[]; runtimeClassName?: string }
      }
    }
  }
}

test('a pod for an order takes one, has the runtime class that is asked for, and reaches DNS and the named peers alone', async () => {
  const things = await rendered('everything')
  const { template } = (things.find(({ kind }) => kind === 'ScaledJob') as Jobs).spec.jobTargetRef
  assert.ok(template.spec.containers[0]!.args.includes('--ephemeral'))
  assert.equal(template.spec.runtimeClassName, 'kata')
  // Two policies for the same pod would let out what either does.
  const policies = things.filter(
    (thing): thing is Policy =>
      thing.kind === 'NetworkPolicy' &&
      Object.entries((thing as Policy).spec.podSelector.matchLabels).every(
        ([name, value]) => template.metadata.labels[name] === value,
      ),
  )
  assert.equal(policies.length, 1)
  const { policyTypes, ingress, egress } = policies[0]!.spec
  assert.deepEqual([policyTypes, ingress], [['Ingress', 'Egress'], undefined])
  assert.deepEqual(
    egress.map(({ to, ports }) => [to, ports.map(({ port }) => port)]),
    [
      [[{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }], [53, 53]],
      [[{ ipBlock: { cidr: '192.0.2.0/24' } }], [443]],
      [[{ ipBlock: { cidr: '2001:db8::/32' } }], [443]],
    ],
  )
})

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'])
    return true
  } catch {
    return false
  }
}

const goProgram = `package main

import (
	"encoding/json"
	"os"
	"text/template"
)

func main() {
	text, _ := os.ReadFile(os.Args[1])
	values, _ := os.ReadFile(os.Args[2])
	var top any
	if err := json.Unmarshal(values, &top); err != nil {
		panic(err)
	}
	toJson := func(value any) string { out, _ := json.Marshal(value); return string(out) }
	parsed := template.Must(template.New("chart").Option("missingkey=error").Funcs(template.FuncMap{"toJson": toJson}).Parse(string(text)))
	if err := parsed.Execute(os.Stdout, top); err != nil {
		panic(err)
	}
}
`
