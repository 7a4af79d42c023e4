import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../contract/audit.ts'
import type { Decision } from '../contract/decision.ts'
import { hurried, startDemo, until } from './demo.ts'

test('the demo moves while it is open: a story arrives and is merged, an alert fires and recovers, a revert is proposed; then it stops, and the visitor’s things are left alone', async () => {
  const demo = await startDemo({ env: { ...hurried, DEMO_PACE: '60', DEMO_MOVES: '6' } })
  const before = await demo.all<Decision>('/v1/decisions?status=pending')
  const happened = async (event: string, about: RegExp) => {
    const { data } = await demo.get<{ data: AuditEntry[] }>(`/v1/audit?event=${event}&limit=100`)
    return data.filter((entry) => about.test(JSON.stringify(entry)))
  }
  await until('a story arrives', async () => (await happened('story_changed', /Count parcels/)).length > 0)
  await until('its run is merged', async () => {
    const runs = await demo.all<{ status: string; story: { title: string } | null }>('/v1/runs')
    return runs.some(({ status, story }) => status === 'succeeded' && /^Count parcels/.test(story!.title))
  })
  await until(
    'an alert has opened an incident and recovered',
    async () => (await happened('incident_updated', /Event feed lags.*"recovered":1/)).length > 0,
  )
  await until('the revert of the merge was proposed, and kept by the one who brought the story', async () => {
    const kept = await demo.all<Decision>('/v1/decisions?status=resolved')
    return kept.some(
      ({ kind, title, resolution }) =>
        kind === 'revert_approval' && /Count parcels/.test(title) && /small fix/.test(resolution?.note ?? ''),
    )
  })
  await until(
    'the second incident is over',
    async () => (await happened('incident_updated', /Event feed fails.*"recovered":1/)).length > 0,
  )
  const after = await demo.all<Decision>('/v1/decisions?status=pending')
  const gone = before.filter(({ key }) => !after.some((one) => one.key === key))
  assert.deepEqual(gone, [], 'nothing that waited for the visitor was answered')
})
