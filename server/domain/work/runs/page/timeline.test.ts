import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timelineOf } from './timeline.ts'

const minute = 60_000
const shown = (run: Parameters<typeof timelineOf>[0]) =>
  timelineOf(run).map(({ attempt, kind, stage, from, to }) => [
    attempt,
    kind,
    stage,
    Date.parse(from) / minute,
    to === null ? null : Date.parse(to) / minute,
  ])

test('a run’s time is queue, work, waiting and merging, as its events tell', () => {
  const mark = (at: number, phase: never, stage: never, attempt = 1) => ({
    at: at * minute,
    phase,
    stage,
    attempt,
  })
  const marks = [
    mark(1, 'working' as never, 'planning' as never),
    mark(2, 'working' as never, 'planning' as never),
    mark(3, 'waiting' as never, 'planning' as never),
    mark(10, 'queued' as never, 'implementing' as never),
    mark(11, 'working' as never, 'implementing' as never),
    mark(15, 'queued' as never, 'implementing' as never, 2),
    mark(15, 'working' as never, 'implementing' as never, 2),
    mark(20, 'merging' as never, 'handing_off' as never, 2),
    mark(21, 'watching' as never, 'handing_off' as never, 2),
    mark(22, 'succeeded' as never, 'handing_off' as never, 2),
  ]
  const attempts = [{ attempt: 1, stage: 'handing_off' as const, startedAt: minute, completedAt: null }]
  assert.deepEqual(shown({ createdAt: 0, attempts, asked: [], marks }), [
    [1, 'queue', 'planning', 0, 1],
    [1, 'work', 'planning', 1, 3],
    [1, 'wait', 'planning', 3, 10],
    [1, 'queue', 'implementing', 10, 11],
    [1, 'work', 'implementing', 11, 15],
    [2, 'work', 'implementing', 15, 20],
    [2, 'merge', 'handing_off', 20, 22],
  ])
})

test('what came before the first event is told from attempts and from when people were asked', () => {
  const attempts = [
    { attempt: 1, stage: 'planning' as const, startedAt: 2 * minute, completedAt: 5 * minute },
    { attempt: 2, stage: 'implementing' as const, startedAt: 60 * minute, completedAt: null },
  ]
  const asked = [{ from: 70 * minute, to: 80 * minute, stage: null }]
  const before = [
    [1, 'queue', 'planning', 0, 2],
    [1, 'work', 'planning', 2, 5],
    [2, 'work', 'implementing', 60, 70],
  ]
  assert.deepEqual(
    shown({ createdAt: 0, attempts, asked: [{ from: 70 * minute, to: null, stage: null }], marks: [] }),
    [...before, [2, 'wait', 'implementing', 70, null]],
  )
  const marks = [{ at: 80 * minute, phase: 'queued', stage: 'verifying', attempt: 2 } as const]
  assert.deepEqual(shown({ createdAt: 0, attempts, asked, marks }), [
    ...before,
    [2, 'wait', 'implementing', 70, 80],
    [2, 'queue', 'verifying', 80, null],
  ])
})

test('a question that was asked before the first event tells the stage until then', () => {
  const attempts = [{ attempt: 1, stage: 'handing_off' as const, startedAt: 2 * minute, completedAt: null }]
  const asked = [
    { from: 45 * minute, to: 60 * minute, stage: 'planning' as const },
    { from: 70 * minute, to: null, stage: 'handing_off' as const },
  ]
  const marks = [
    { at: 61 * minute, phase: 'queued', stage: 'implementing', attempt: 1 },
    { at: 62 * minute, phase: 'working', stage: 'implementing', attempt: 1 },
    { at: 70 * minute, phase: 'waiting', stage: 'handing_off', attempt: 1 },
  ] as const
  assert.deepEqual(shown({ createdAt: 0, attempts, asked: asked.toReversed(), marks: [...marks] }), [
    [1, 'queue', 'planning', 0, 2],
    [1, 'work', 'planning', 2, 45],
    [1, 'wait', 'planning', 45, 60],
    [1, 'queue', 'implementing', 60, 62],
    [1, 'work', 'implementing', 62, 70],
    [1, 'wait', 'handing_off', 70, null],
  ])
})
