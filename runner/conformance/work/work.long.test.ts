import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { isolationFacts } from '@signalbox/contract/isolation.ts'
import { measureBox } from '../../box/measure.ts'
import { bundledRunner, bundleFolder } from '../../test/bundled.ts'
import { categories, type WorkScenario } from './attempt.ts'
import { playWork } from './play-work.ts'
import { workScenarios } from './scenarios/all.ts'
import { manualTable, rowsOf, withTable } from './table.ts'

const folder = await bundleFolder()
after(() => rm(folder, { recursive: true, force: true }))
const runner = await bundledRunner(folder, 'main.ts')
const { box } = await measureBox()
const lacks = Object.keys(isolationFacts).filter(
  (fact) => !box.isolation[fact as keyof typeof isolationFacts],
)
const skip = lacks.length > 0 ? `the box of this machine lacks ${lacks.join(', ')}` : false

const attemptsOf = ({ runs, attempts = [] }: WorkScenario) => [
  ...attempts,
  ...runs.flatMap((run) => run.attempts ?? []),
]

describe('our runner holds what the kit tries, one scenario of each category', { concurrency: 2 }, () => {
  for (const scenario of workScenarios.filter(({ isQuick }) => isQuick))
    test(scenario.name, { skip }, async () => {
      const { breaches, output } = await playWork(scenario, { runner, pace: 0.2, patienceSeconds: 240 })
      assert.deepEqual(breaches, [], output)
    })
})

test('every category has a scenario that is quick, and there are 150 attempts or more, each once and for a reason', () => {
  const all = workScenarios.flatMap(attemptsOf)
  assert.ok(all.length >= 150, `${all.length}`)
  const names = workScenarios.flatMap((scenario) =>
    attemptsOf(scenario).map(({ name }) => `${scenario.category}: ${name}`),
  )
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  assert.deepEqual(
    all.filter(({ proves, caught }) => proves.length < 20 || caught.when.length < 10),
    [],
  )
  const quick = new Set(workScenarios.filter(({ isQuick }) => isQuick).map(({ category }) => category))
  assert.deepEqual([...quick].sort(), Object.keys(categories).sort())
})

test('the table of the manual names every category with as many attempts as there are', () => {
  const file = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'manual', 'box.md')
  const page = readFileSync(file, 'utf8')
  // As if all of it had been played and had held; whether it does is for npm run test:hostile to say.
  const played = workScenarios.map((scenario) => ({
    category: scenario.category,
    tried: attemptsOf(scenario).map(
      ({ name, proves }) => ({ name, proves, result: 'held', why: null }) as const,
    ),
  }))
  const asIfAll = page.replace(/ \(\d+ of them test a layer that the runner does not claim\)/, '')
  assert.equal(asIfAll, withTable(asIfAll, manualTable(rowsOf(played))))
})
