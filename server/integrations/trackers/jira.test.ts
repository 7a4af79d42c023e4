import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { readStoryMirror } from '../../domain/reach/mirror/read.ts'
import { sweepTeam } from '../../domain/reach/mirror/sweep.ts'
import { editStory } from '../../domain/work/stories/edit.ts'
import { placeStory } from '../../domain/work/stories/place.ts'
import { testDatabase } from '../../test/database.ts'
import { JiraDouble } from '../../test/doubles/jira.ts'
import { JiraIssues, type JiraNode } from '../../test/doubles/jira-issues.ts'
import { aBoundTeam } from '../../test/tools/bound-team.ts'
import { callerFor } from '../connections/call.ts'
import { trackersFor } from './index.ts'
import { fromWiki, toWiki } from './wiki.ts'

const database = await testDatabase()
const doubles: JiraDouble[] = []
after(async () => {
  await Promise.all(doubles.map((double) => double.stop()))
  await database.close()
})

const accounts = {
  cloud: { email: 'bot@example.com', token: 'right' },
  'data center': { token: 'right' },
} as const
const kinds = Object.keys(accounts) as (keyof typeof accounts)[]

async function onJira(kind: keyof typeof accounts = 'cloud') {
  const jira = await new JiraDouble().start()
  doubles.push(jira)
  const credentials: { email?: string; token: string } = accounts[kind]
  jira.addAccount(credentials)
  const project = jira.addProject('WEB', 'Web')
  let issues: JiraIssues | undefined
  const team = await aBoundTeam(database.db, async (clock) => {
    issues = new JiraIssues(jira, project, clock)
    return {
      ...{ kind: 'jira', url: jira.url, account: credentials.email ?? 'signalbox' },
      ...{ credentials: credentials as Record<string, string>, project: { id: project.id, key: 'WEB' } },
    }
  })
  return { ...team, jira, issues: issues! }
}

/** A story whose issue is in progress, as its person moves it to Done. */
async function movedToDone(prepare: (issues: JiraIssues) => void) {
  const it = await onJira()
  prepare(it.issues)
  const id = it.issues.open({ summary: 'Show the window', status: '3' })
  await it.sweep()
  const { key } = (await it.stories())[0]!
  await placeStory(it.member, key, 'done')
  await it.settle()
  const notice = (await readStoryMirror(it.member, key))?.notice ?? null
  const tried = it.jira.asked.filter(({ method, path }) => method === 'POST' && /transitions$/.test(path))
  return { ...it, id, key, notice, tried, status: it.issues.get(id).status }
}

test('an issue is moved only by a transition of its workflow; where there is none it stays, and the story says why', async () => {
  const it = await movedToDone((issues) => {
    issues.workflow = { 3: ['4'], 4: ['5'] }
  })
  assert.deepEqual([it.status, it.tried.length], ['3', 0])
  assert.equal(it.notice, 'Jira has no transition from where WEB-1 is now to that status.')
  assert.equal((await it.stories())[0]?.column.role, 'done', 'the person’s move is kept')
  assert.deepEqual(await it.dueEffects(), [], 'nobody tries forever')
  // A person takes it one step further over there, and from there the workflow goes on.
  it.clock.forward(60_000)
  it.issues.edit(it.id, { status: '4' })
  await placeStory(it.member, it.key, 'review')
  await it.settle()
  await placeStory(it.member, it.key, 'done')
  await it.settle()
  assert.equal(it.issues.get(it.id).status, '5')
  assert.equal((await readStoryMirror(it.member, it.key))?.notice, null)
})

test('a transition that asks for a resolution is told that it is done', async () => {
  const resolution = {
    ...{ name: 'Resolution', required: true },
    allowedValues: [
      { id: '1', name: "Won't Do" },
      { id: '7', name: 'Done' },
    ],
  }
  const it = await movedToDone((issues) => {
    issues.screens = { 35: { resolution, comment: { name: 'Comment', required: false } } }
  })
  assert.deepEqual([it.status, it.notice], ['5', null])
  assert.deepEqual(it.tried[0]?.body, { transition: { id: '35' }, fields: { resolution: { id: '7' } } })
})

test('a transition that asks for what only people know is not tried: the story names the fields', async () => {
  const it = await movedToDone((issues) => {
    issues.screens = {
      35: {
        customfield_1: { name: 'Root cause', required: true },
        customfield_2: { name: 'Team', required: true, hasDefaultValue: true },
      },
    }
  })
  assert.deepEqual([it.status, it.tried.length], ['3', 0])
  assert.equal(it.notice, 'To move WEB-1 there, Jira asks for Root cause. Move it in Jira.')
})

test('a rule of the workflow that refuses only when it is tried is said too, and not tried forever', async () => {
  const it = await movedToDone((issues) => {
    issues.forbidden.add('35')
  })
  assert.deepEqual([it.status, it.tried.length], ['3', 1])
  assert.equal(it.notice, 'Jira’s workflow doesn’t let WEB-1 move to that status now. Move it in Jira.')
  assert.deepEqual(await it.dueEffects(), [])
})

const text = (words: string, ...marks: string[]): JiraNode => ({
  ...{ type: 'text', text: words },
  ...(marks.length > 0 ? { marks: marks.map((type) => ({ type })) } : {}),
})
const node = (type: string, ...content: JiraNode[]): JiraNode => ({ type, content })
const mention: JiraNode = { type: 'mention', attrs: { id: '5b10', text: '@Ada' } }
const media: JiraNode = { type: 'media', attrs: { id: 'f1', type: 'file', alt: 'window.png' } }
const lozenge: JiraNode = { type: 'status', attrs: { text: 'LATE', color: 'red' } }
const rich: Record<string, JiraNode> = {
  'a mention': node('paragraph', text('Ask '), mention),
  media: node('mediaSingle', media),
  'a panel': node('panel', node('paragraph', text('Mind the slot'))),
  'a table': node('table', node('tableRow', node('tableHeader', node('paragraph', text('Slot'))))),
  'a lozenge, which wiki markup shows as a word': node('paragraph', lozenge),
  'underlined words': node('paragraph', text('late', 'underline')),
}

for (const [what, part] of Object.entries(rich))
  test(`cloud: a description with ${what} survives everything that we write`, async () => {
    const it = await onJira()
    const document = node('doc', node('paragraph', text('It is shown too late.')), part)
    const id = it.issues.open({ summary: 'Show the window', document: structuredClone(document) })
    await it.sweep()
    const { key } = (await it.stories())[0]!
    it.clock.forward(60_000)
    await editStory(it.member, key, {
      ...{ title: 'Show it', description: 'Ours.', acceptanceCriteria: ['It is shown'], size: 's' },
      testPlan: 'Look at it.',
    })
    await placeStory(it.member, key, 'refining')
    await it.settle()
    const issue = it.issues.get(id)
    assert.equal(issue.summary, 'Show it')
    assert.match(issue.comments[0]!.body, /It is shown[\s\S]*Look at it\./)
    assert.deepEqual(issue.document, document)
    const { notice } = (await readStoryMirror(it.member, key))!
    assert.match(notice ?? '', /^The description of WEB-1 has mentions, media or macros that would be lost/)
    assert.deepEqual(await it.dueEffects(), [])
  })

test('cloud: a plain description is written', async () => {
  const it = await onJira()
  const list = node('bulletList', node('listItem', node('paragraph', text('one', 'strong', 'code'))))
  const id = it.issues.open({
    summary: 'Show the window',
    document: node('doc', node('heading', text('A')), list),
  })
  await it.sweep()
  const { key } = (await it.stories())[0]!
  await editStory(it.member, key, { description: 'Ours, with **weight**.' })
  await it.settle()
  assert.equal(it.issues.get(id).description, 'Ours, with *weight*.')
})

const markup = [
  'Ask [~ada] about !window.png|width=300!',
  '{panel:title=Mind}',
  'the *slot*',
  '{panel}',
  '||Slot||Until||',
  '|morning|{{12:00}}|',
].join('\n')

for (const kind of kinds)
  test(`${kind}: wiki markup in the description and in our comment survives what we write`, async () => {
    const it = await onJira(kind)
    const id = it.issues.open({ summary: 'Show the window', description: markup })
    await it.sweep()
    const { key } = (await it.stories())[0]!
    await editStory(it.member, key, {
      description: 'Ours.',
      acceptanceCriteria: ['It is shown'],
      testPlan: 'Look.',
    })
    await it.settle()
    assert.equal(it.issues.get(id).description, markup)
    const [block] = it.issues.get(id).comments
    it.clock.forward(60_000)
    it.issues.edit(id, { comments: [{ ...block!, body: block!.body.replace('Look.', markup) }] })
    await it.sweep()
    // Another edit of ours writes the whole comment again.
    await editStory(it.member, key, { size: 'l' })
    await it.settle()
    const after = it.issues.get(id).comments[0]!.body
    assert.match(after, /Size: L/)
    assert.ok(after.includes(markup), after)
  })

test('wiki markup that is read and written back is the same, whatever is in it', () => {
  const word = fc.constantFrom(
    'slot',
    'late',
    '*bold*',
    '{{code}}',
    '[~ada]',
    '[~accountid:5b10]',
    '!a.png!',
    'ø',
  )
  const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((all) => all.join(' '))
  const prefix = fc.constantFrom('', 'h2. ', '* ', '** ', '# ', '## ', '* ☐ ', 'bq. ', '|')
  const line = fc.oneof(
    fc.tuple(prefix, words).map(([before, rest]) => (before === '|' ? `|${rest}|` : before + rest)),
    fc.constantFrom('', '----', '||A||B||', '{panel}', '{quote}', '[docs|https://example.com/a]'),
    words.map((rest) => `{code:ts}\n${rest}\n# no list\n{code}`),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const wiki = ['A story', ...lines].join('\n').trim()
      assert.equal(toWiki(fromWiki(wiki)), wiki)
    }),
    { numRuns: 500 },
  )
})

for (const kind of kinds)
  test(`${kind}: criteria stay on an issue with many comments, whose answer has only the newest`, async () => {
    const it = await onJira(kind)
    const id = it.issues.open({ summary: 'Show the window', status: '1' })
    await it.sweep()
    const { key } = (await it.stories())[0]!
    await editStory(it.member, key, { acceptanceCriteria: ['It is shown'] })
    await it.settle()
    const said = async () => (await it.story('WEB-1'))!.acceptanceCriteria.map(({ text }) => text)
    const talk = Array.from({ length: 150 }, (_, n) => ({ id: `9${n}`, author: 'ada', body: `Word ${n}` }))
    it.issues.edit(id, { comments: [...it.issues.get(id).comments, ...talk] })
    await it.sweep()
    assert.deepEqual(await said(), ['It is shown'])
    // A node that has just started asks for the comment by its id, and looks through none of the others.
    const fresh = trackersFor(callerFor({ allow: ['127.0.0.1'], clock: it.clock }), it.clock)
    const asked = it.jira.asked.length
    it.issues.edit(id, {})
    it.clock.forward(16 * 60_000)
    await sweepTeam(it.service, { ...it.services, trackers: fresh }, it.team.id)
    assert.deepEqual(await said(), ['It is shown'])
    const comments = it.jira.asked.slice(asked).filter(({ path }) => /\/comment/.test(path))
    const block = it.issues.get(id).comments[0]!.id
    assert.deepEqual([...new Set(comments.map(({ path }) => path.split('/').at(-1)))], [block])
    // Changed here, it is the same comment that is changed.
    await editStory(it.member, key, { acceptanceCriteria: ['It is shown twice'] })
    await it.settle()
    assert.match(it.issues.get(id).comments[0]!.body, /It is shown twice/)
    assert.equal(it.issues.get(id).comments.length, 151)
    // Deleted by a person, it is gone: that was seen in the whole list.
    it.issues.edit(id, { comments: it.issues.get(id).comments.slice(1) })
    await it.sweep()
    assert.deepEqual(await said(), [])
  })

test('cloud: we are known by our account id, whatever our address is and whether it is hidden', async () => {
  const it = await onJira()
  const id = it.issues.open({ summary: 'Show the window', status: '1' })
  await it.sweep()
  const { key } = (await it.stories())[0]!
  await editStory(it.member, key, { acceptanceCriteria: ['It is shown'] })
  await it.settle()
  const [block] = it.issues.get(id).comments
  // The same words from another author are not trusted.
  it.issues.edit(id, { comments: [{ ...block!, id: '77', author: 'mallory', body: block!.body }] })
  await it.sweep()
  assert.deepEqual((await it.story('WEB-1'))!.acceptanceCriteria, [])
})
