import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { bundledRunner, bundleFolder } from '../../test/bundled.ts'
import type { CategoryName } from './attempt.ts'
import { playWork, type WorkPlayed } from './play-work.ts'
import { workScenarios } from './scenarios/all.ts'

/** Runners that are not what they say: the kit finds each of them out, and says by what. */

const folder = await bundleFolder()
after(() => rm(folder, { recursive: true, force: true }))

const runners = new Map<string, string>()
for (const liar of ['claims-a-box', 'has-no-box', 'bills-twice', 'hides-a-path'])
  runners.set(liar, await bundledRunner(folder, `conformance/work/lying/${liar}.ts`))

function playedBy(liar: string, category: CategoryName): Promise<WorkPlayed> {
  const scenario = workScenarios.find((each) => each.category === category && each.isQuick)!
  return playWork(scenario, { runner: runners.get(liar)!, pace: 0.2, patienceSeconds: 240 })
}

const resultsOf = ({ tried }: WorkPlayed) => new Set(tried.map(({ result }) => result))
const throughOf = ({ tried }: WorkPlayed) =>
  tried.filter(({ result }) => result === 'through').map(({ name }) => name)

describe('the kit has teeth', { concurrency: 2 }, () => {
  test('a runner that registers six layers and has none fails, with the layer and the attempt that got through', async () => {
    const network = await playedBy('claims-a-box', 'network')
    assert.ok(
      network.breaches.some((breach) =>
        breach.startsWith(
          'It registers networkOnlyToGateway, and an attempt got through: reach a service on the loopback of the machine',
        ),
      ),
      `${network.breaches.join('\n')}\n${network.output}`,
    )
    const denied = await playedBy('claims-a-box', 'denied')
    assert.match(denied.breaches.join('\n'), /It registers deniedPathsBlocked, and an attempt got through/)
  })

  test('a runner that has no box and says so is told what it does not claim, and passes what holds without one', async () => {
    const denied = await playedBy('has-no-box', 'denied')
    assert.deepEqual([...resultsOf(denied)], ['not claimed'])
    assert.deepEqual(denied.breaches, [], denied.output)
    // FAULTS=all (`npm run test:faults`) plays three of them.
    for (const category of process.env.FAULTS === 'all'
      ? (['told', 'refused', 'git'] as const)
      : (['told'] as const)) {
      const played = await playedBy('has-no-box', category)
      assert.deepEqual(played.breaches, [], `${category}: ${played.output}`)
      assert.deepEqual([...resultsOf(played)], ['held'])
    }
  })

  test('a runner that reports each usage twice fails', async () => {
    const played = await playedBy('bills-twice', 'budget')
    assert.ok(
      throughOf(played).includes('have calls counted twice, or not at all'),
      played.breaches.join('\n'),
    )
  })

  test('a runner whose list of paths is not that of its work fails', async () => {
    const played = await playedBy('hides-a-path', 'told')
    assert.match(
      played.breaches.join('\n'),
      /The change touches .*d\.pem.*, and its list of paths does not say so\./,
    )
    assert.ok(throughOf(played).includes('add a file that a pattern denies'))
  })
})
