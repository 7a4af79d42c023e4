import assert from 'node:assert/strict'
import type { Tracker, TrackerProject } from '../../../domain/ports/tracker.ts'

/** What people do over there. */
interface Over {
  open(): string
  block(id: string, by: string): void
  /** An id that nothing has. */
  absent: string
}

/** Every verb of a tracker: found again, changed, moved, commented on and linked. */
export async function playTracker(tracker: Tracker, at: TrackerProject, over: Over): Promise<void> {
  const statuses = await tracker.statuses(at)
  const blocker = over.open()
  const wish = { title: 'Round', description: 'Down.', block: '### Sizing', look: true }
  const made = await tracker.create(at, { ...wish, token: tracker.token('k') })
  assert.equal((await tracker.create(at, { ...wish, token: tracker.token('k') })).id, made.id, 'found again')
  await tracker.create({ ...at, label: 'agents' }, { ...wish, token: tracker.token('l') })
  over.block(made.id, blocker)
  const first = await tracker.changed(at, null)
  assert.ok(first.issues.length >= 2)
  const second = await tracker.changed(at, first.cursor)
  await tracker.changed(at, second.cursor)
  await tracker.changed({ ...at, label: 'agents' }, null)
  await tracker.openIds(at, null)
  await tracker.openIds({ ...at, label: 'agents' }, null)
  const found = await tracker.fetch(at, made.id)
  const blockers =
    found?.blockedBy === 'some' || !found?.blockedBy ? await tracker.blockers?.(at, made.id) : found.blockedBy
  assert.equal(blockers?.length, 1)
  assert.equal(await tracker.fetch(at, over.absent), null)
  await tracker.update(at, made, { title: 'Round down', description: 'Always.', block: '### Sizing' })
  for (const status of statuses) {
    const now = (await tracker.fetch(at, made.id))!
    await tracker.move(
      at,
      now,
      status.id,
      statuses.map(({ id }) => id),
    )
  }
  const said = { token: tracker.token('c'), text: 'Soon.', look: true }
  const ref = await tracker.comment(at, made.id, { ...said, ref: null })
  assert.equal(await tracker.comment(at, made.id, { ...said, ref: null }), ref, 'found again')
  await tracker.comment(at, made.id, { ...said, text: 'Now.', ref, look: false })
  await tracker.link?.(at, made.id, { url: 'https://box.example.com/1', title: 'Evidence' })
}
