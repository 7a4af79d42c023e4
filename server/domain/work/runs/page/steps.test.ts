import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StepEvent, stepsOf } from './steps.ts'

const event = (at: number, type: string, rest: Partial<StepEvent> = {}): StepEvent => ({
  ...{ at, type, phase: 'working', stage: 'implementing', attempt: 1, cents: 0 },
  ...rest,
})

test('a stage is its worker’s reports, each with the lines and the cost that came before it', () => {
  const steps = stepsOf(
    [
      event(0, 'started'),
      event(10, 'begun'),
      event(15, 'usage', { cents: 3 }),
      event(20, 'spec_pinned'),
      event(25, 'usage', { cents: 4 }),
      event(28, 'progress', { phase: null }),
      event(30, 'change_ready', { stage: 'verifying' }),
      event(40, 'gates_ran', { stage: 'handing_off' }),
    ],
    [
      { at: 12, first: 1, last: 5 },
      { at: 20, first: 6, last: 6 },
      { at: 29, first: 7, last: 9 },
    ],
  )
  assert.deepEqual(
    steps.map(({ stage, ended, from, to, cents, lines }) => [
      ...[stage, ended, Date.parse(from), to && Date.parse(to), cents],
      lines && `${lines.first}-${lines.last}`,
    ]),
    [
      ['implementing', 'begun', 0, 10, 0, null],
      ['implementing', 'spec_pinned', 10, 20, 3, '1-6'],
      ['implementing', 'change_ready', 20, 30, 4, '7-9'],
      ['verifying', 'gates_ran', 30, 40, 0, null],
      ['handing_off', null, 40, null, 0, null],
    ],
  )
})

test('what ends without a report has no name, and time without a worker is no step', () => {
  const steps = stepsOf(
    [
      event(0, 'started'),
      event(5, 'stopped', { phase: 'stopped' }),
      event(20, 'started', { attempt: 2 }),
      event(30, 'failed', { attempt: 2, phase: 'failed' }),
    ],
    [],
  )
  assert.deepEqual(
    steps.map(({ attempt, ended, to }) => [attempt, ended, Date.parse(to!)]),
    [
      [1, null, 5],
      [2, 'failed', 30],
    ],
  )
})
