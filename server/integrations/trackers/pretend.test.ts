import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PretendTracker } from './pretend.ts'

const newIssue = (key: string, team = 'checkout-web') => ({ key, team, title: 'Title', body: 'Body' })

test('each team counts its own issues, and the same key is the same issue', async () => {
  const tracker = new PretendTracker()
  const first = await tracker.createIssue(newIssue('a'))
  assert.deepEqual(first, {
    platform: 'pretend',
    key: 'CHECKOUTWEB-1',
    url: 'https://tracker.example.com/issues/CHECKOUTWEB-1',
  })
  assert.equal((await tracker.createIssue(newIssue('b'))).key, 'CHECKOUTWEB-2')
  assert.equal((await tracker.createIssue(newIssue('c', 'route'))).key, 'ROUTE-1')
  assert.deepEqual(await tracker.createIssue(newIssue('a')), first)
  assert.equal(tracker.issues.size, 3)
})

test('a comment is made once for its key', async () => {
  const tracker = new PretendTracker()
  const issue = await tracker.createIssue(newIssue('a'))
  await tracker.comment(issue, { key: 'k', text: 'Not like this.' })
  await tracker.comment(issue, { key: 'k', text: 'Not like this.' })
  assert.deepEqual(tracker.comments, [{ issue: issue.key, key: 'k', text: 'Not like this.' }])
})

test('it fails as often as it is told, and then no more', async () => {
  const tracker = new PretendTracker()
  tracker.fail(2)
  await assert.rejects(tracker.createIssue(newIssue('a')))
  await assert.rejects(tracker.createIssue(newIssue('a')))
  assert.equal((await tracker.createIssue(newIssue('a'))).key, 'CHECKOUTWEB-1')
})
