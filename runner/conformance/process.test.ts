import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { play } from './play.ts'
import { processScenarios } from './scenarios.ts'

const runner = `'${process.execPath}' '${path.join(import.meta.dirname, 'rehearsed-runner.ts')}'`

describe('our runner passes the process part of the conformance kit', { concurrency: 4 }, () => {
  for (const scenario of processScenarios)
    test(scenario.name, async () => {
      const { breaches, output } = await play(scenario, { runner, pace: 0.05, patienceSeconds: 120 })
      assert.deepEqual(breaches, [], output)
    })
})
