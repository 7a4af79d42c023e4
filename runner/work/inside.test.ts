import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Envelope } from '@signalbox/contract/dsse.ts'
import { formatImageName, type ImageName } from '@signalbox/contract/image.ts'
import type { RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import { findProgram } from '../agents/installed.ts'
import { resolvePrograms } from '../box/host-programs.ts'
import { measureBox } from '../box/measure.ts'
import { detectLimitTools, withResourceLimits } from '../box/resource-limits.ts'
import { ImageError } from '../images/images.ts'
import { makeRoot } from '../test/image.ts'
import { temporaryFolder } from '../test/origin.ts'
import { reported, type Step, Workbench } from '../test/workbench.ts'

const measured = await measureBox()
const box = withResourceLimits(
  measured.box,
  { memoryBytes: 2e9, processes: 500, fileBytes: 1e9 },
  detectLimitTools(),
)
const skip =
  box.isolation.backend === 'bubblewrap' ? false : 'bubblewrap is not there, or may not make namespaces'

const digest = `sha256:${'d'.repeat(64)}`
const name = `ghcr.io/halden/ci@${digest}`
const searchPath = process.env.PATH ?? ''

/** A workbench whose images are all the same one, unpacked already. It notes which were asked for. */
function benchWith(devcontainer: string | null) {
  const bench = new Workbench({ after }, box, {
    'README.md': 'A shop.\n',
    '.kanman/gates.yml':
      'gates:\n  - { name: test, run: "cat /etc/in-the-image && ls /usr && sh check.sh" }\n',
    'check.sh': 'test -f README.md\n',
    ...(devcontainer === null ? {} : { '.devcontainer/devcontainer.json': devcontainer }),
  })
  const folder = makeRoot(path.join(temporaryFolder({ after }), 'root'))
  const brought = resolvePrograms({
    ...{ node: process.execPath, nice: findProgram('nice', searchPath) },
    prlimit: findProgram('prlimit', searchPath),
  })
  const asked: { image: string; environment: Record<string, string> }[] = []
  bench.shop.images = {
    async open(image: ImageName, { environment = {} } = {}) {
      asked.push({ image: formatImageName(image), environment })
      return { name, folder, brought, environment: { PATH: '/usr/bin', ...environment } }
    },
  }
  return { bench, asked }
}

const greet: Step[] = [{ write: 'greeting.txt', text: 'Hello.\n' }]

test('agent and gates work in the image, and the record and the signed evidence say which by its digest', {
  skip,
}, async () => {
  const { bench, asked } = benchWith(null)
  const inside = { kind: 'image', image: 'ghcr.io/halden/ci:1' } as const
  const came = await bench.work(bench.order({ inside }), { implement: [greet] })
  assert.equal(reported(came, 'begun').isolation.image, name)
  assert.match(came.log, new RegExp(`The work runs in the image ${name}`))
  const { work } = reported(came, 'change_ready')
  const verifying = bench.order({ inside, stage: 'verifying', base: work!.base, work: work! })
  const ran = reported(await bench.work(verifying), 'gates_ran')
  assert.deepEqual(
    ran.gates.map(({ name: gate, result }) => [gate, result]),
    [['test', 'passed']],
  )
  const { payload } = JSON.parse(bench.text(ran.envelope!)) as Envelope
  const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { predicate: RunEvidence }
  assert.equal(predicate.isolation.image, name)
  // The machine has more in /usr than the image.
  const printed = bench.text(predicate.gates[0]!.log!)
  assert.match(printed, /^yes\nbin\n/)
  assert.equal(printed.includes('share'), false)
  assert.deepEqual(new Set(asked.map(({ image }) => image)), new Set(['ghcr.io/halden/ci:1']))
})

test('a repository’s own devcontainer.json counts as it stands on the base, whatever the change makes of it', {
  skip,
}, async () => {
  const { bench, asked } = benchWith(
    '{ // ours\n "image": "node:24", "containerEnv": { "SHOP": "open" }, "postCreateCommand": "x" }',
  )
  const inside = { kind: 'devcontainer' } as const
  const file = '.devcontainer/devcontainer.json'
  const came = await bench.work(bench.order({ inside }), {
    implement: [[...greet, { write: file, text: '{ "image": "evil.example.com/x" }' }]],
  })
  const { work } = reported(came, 'change_ready')
  assert.match(came.log, /Ignored in \.devcontainer\/devcontainer\.json: postCreateCommand\./)
  await bench.work(bench.order({ inside, stage: 'verifying', base: work!.base, work: work! }))
  assert.deepEqual(asked, [
    { image: 'docker.io/library/node:24', environment: { SHOP: 'open' } },
    { image: 'docker.io/library/node:24', environment: { SHOP: 'open' } },
  ])
})

test('what can’t be worked in ends the order with what helps', { skip }, async () => {
  const { bench } = benchWith('{ "build": { "dockerfile": "Dockerfile" } }')
  const work = (inside: Parameters<typeof bench.order>[0]) => bench.work(bench.order(inside))
  const built = await work({ inside: { kind: 'devcontainer' } })
  assert.equal(built.failed?.failureClass, 'persistent')
  assert.match(built.failed!.message, /builds its image .*Build the image in CI/)
  const { bench: without } = benchWith(null)
  const missing = await without.work(without.order({ inside: { kind: 'devcontainer' } }))
  assert.match(
    missing.failed!.message,
    /There is no \.devcontainer\/devcontainer\.json or \.devcontainer\.json/,
  )
  const wrong = await work({ inside: { kind: 'image', image: 'dir:/etc' } })
  assert.match(wrong.failed!.message, /dir:\/etc is not an image name/)
  bench.shop.images = {
    open: async () => {
      throw new ImageError('The registry is away.', true)
    },
  }
  const away = await work({ inside: { kind: 'image', image: 'node:24' } })
  assert.deepEqual([away.failed?.failureClass, away.failed?.message], ['transient', 'The registry is away.'])
  bench.shop.images = null
  const none = await work({ inside: { kind: 'image', image: 'node:24' } })
  assert.match(none.failed!.message, /can’t use images\. Run signalbox-runner doctor/)
})
