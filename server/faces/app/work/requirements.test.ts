import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RequirementPage, type RequirementRow } from '@signalbox/contract/app/requirements.ts'
import { Value } from 'typebox/value'
import { PretendTracker } from '../../../integrations/trackers/pretend.ts'
import { json } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { until } from '../../../test/until.ts'

interface Refusal {
  error: { code: string; message: string }
}

describe('requirements in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  const tracker = new PretendTracker()
  const splitter = aSplitter(
    { questions: ['Who needs it?', 'Where is it shown?'] },
    {
      drafts: [proposed(), proposed({ title: 'Tell the driver too', demonstrate: null }), proposed()],
      notes: [],
    },
  )
  before(async () => {
    app = await testApp({ connect: () => ({ tracker, splitter }) })
  })
  after(() => app.stop())

  test('go from words over questions and drafts to issues in the tracker', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const member = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
    const { slug } = await json<{ slug: string }>(
      member.write('requirements.submit', { team: team.slug, text: 'Better delivery information.' }),
    )
    const readNow = () => json<RequirementPage>(member.read('requirements.read', { slug }))
    const asked = await readNow()
    assert.deepEqual([asked.status, asked.questions.length, asked.drafts], ['clarifying', 2, []])
    assert.equal(asked.submittedBy, 'A member')

    const half = await json<{ status: string }>(
      member.write('requirements.answer', { slug, answers: [{ id: 'q-1', answer: 'Customers' }] }),
    )
    assert.equal(half.status, 'clarifying')
    const listed = await json<{ data: RequirementRow[] }>(member.read('requirements.list'))
    assert.deepEqual(
      listed.data.map(({ opening, openQuestions, drafts }) => [opening, openQuestions, drafts]),
      [['Better delivery information.', 1, 0]],
    )
    await json(
      member.write('requirements.answer', { slug, answers: [{ id: 'q-2', answer: 'On the order' }] }),
    )

    const drafted = await readNow()
    assert.ok(Value.Check(RequirementPage, drafted))
    assert.deepEqual(
      drafted.drafts.map(({ state, readinessScore }) => [state, readinessScore]),
      [
        ['draft', 100],
        ['draft', 75],
        ['draft', 100],
      ],
    )
    const [good, lacking, rejected] = drafted.drafts
    assert.deepEqual(lacking!.missing, [
      'a Demonstrate step: a command, or at least five words on how a person can see that it works',
    ])
    const refused = await json<Refusal>(member.write('requirements.approveDraft', { key: lacking!.key }), 409)
    assert.match(refused.error.message, /readiness score of 75/)

    const edited = await json<{ score: number }>(
      member.write('stories.edit', {
        key: lacking!.key,
        readAt: lacking!.updatedAt,
        demonstrate: 'Open the driver’s list and read the window of a stop.',
      }),
    )
    assert.equal(edited.score, 100)
    const late = await json<Refusal>(
      member.write('stories.edit', {
        key: lacking!.key,
        readAt: lacking!.updatedAt,
        title: 'Something else entirely',
      }),
      409,
    )
    assert.equal(late.error.code, 'changed_meanwhile')

    for (const { key } of [good!, lacking!]) await json(member.write('requirements.approveDraft', { key }))
    await json(member.write('requirements.rejectDraft', { key: rejected!.key, note: 'Twice the same.' }))
    const { keys } = await json<{ keys: string[] }>(member.write('requirements.write', { slug }))
    assert.deepEqual(keys, [good!.key, lacking!.key])
    await until('both stories are in the tracker', async () =>
      (await readNow()).drafts.every(({ state }) => state === 'written'),
    )
    const written = await readNow()
    assert.equal(written.status, 'closed')
    assert.ok(written.drafts.every(({ tracker }) => tracker?.url.startsWith('http')))
    const done = await json<{ data: RequirementRow[] }>(
      member.read('requirements.list', { team: team.slug, status: 'closed' }),
    )
    assert.deepEqual(
      done.data.map(({ drafts, approved, written }) => [drafts, approved, written]),
      [[0, 0, 2]],
    )
    const none = await json<{ data: unknown[] }>(member.read('requirements.list', { status: 'drafted' }))
    assert.deepEqual(none.data, [])
  })

  test('of another workspace are not there, nor is a team that does not exist', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const member = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
    await json(member.read('requirements.read', { slug: 'better-delivery-information-00000' }), 404)
    await json(member.read('requirements.list', { team: 'no-such-team' }), 404)
    await json(member.write('requirements.submit', { team: 'x', text: 'y'.repeat(20_001) }), 400)
  })
})

test('what the tracker refuses is shown with its reason, and is tried again', async () => {
  const refuse = async () => {
    throw new Error('The project is closed.')
  }
  const app = await testApp({ connect: () => ({ tracker: { createIssue: refuse, comment: refuse } }) })
  try {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const member = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
    const text = `# Export the invoices of a month
As an accountant, I want to export the invoices of a month so that I can import them into the books elsewhere.
- [ ] The file has one row for each invoice of the month.
- [ ] Invoices of other months are not in the file.`
    const { slug } = await json<{ slug: string }>(
      member.write('requirements.submit', { team: team.slug, text }),
    )
    const readNow = () => json<RequirementPage>(member.read('requirements.read', { slug }))
    const [draft] = (await readNow()).drafts
    await json(
      member.write('stories.edit', {
        key: draft!.key,
        readAt: draft!.updatedAt,
        size: 's',
        demonstrate: 'Export March and count the rows of the file.',
      }),
    )
    await json(member.write('requirements.approveDraft', { key: draft!.key }))
    assert.equal((await readNow()).drafts[0]!.state, 'approved')
    await json(member.write('requirements.write', { slug }))
    await until('the tracker has refused', async () => (await readNow()).drafts[0]!.state === 'failing')
    const { failure } = (await readNow()).drafts[0]!
    assert.match(failure!.message, /The project is closed/)
    assert.ok(failure!.attempts >= 1 && failure!.nextAt)
  } finally {
    await app.stop()
  }
})
