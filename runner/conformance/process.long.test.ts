import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { bundle } from '../bundle.ts'
import { play } from './play.ts'
import { processScenarios } from './scenarios.ts'

// As one file, as it is installed: it also starts many times quicker.
const folder = await mkdtemp(path.join(tmpdir(), 'rehearsed-'))
const file = path.join(folder, 'runner.mjs')
await bundle('conformance/rehearsed-runner.ts', file)
after(() => rm(folder, { recursive: true, force: true }))

// Mostly they wait.
describe('our runner passes the process part of the conformance kit', { concurrency: 6 }, () => {
  for (const scenario of processScenarios)
    test(scenario.name, async () => {
      const runner = `'${process.execPath}' '${file}'`
      const { breaches, output } = await play(scenario, { runner, pace: 0.05, patienceSeconds: 120 })
      assert.deepEqual(breaches, [], output)
    })
})
