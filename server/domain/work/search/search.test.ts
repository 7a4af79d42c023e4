import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../infra/db/migrate.ts'
import { superuserIn, testDatabase } from '../../../test/database.ts'
import { aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { search } from './search.ts'

const database = await testDatabase()
after(() => database.close())

test('the story whose key is typed in full comes first, however many keys begin with it', async () => {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const keys: string[] = []
  for (let n = 0; n < 16; n += 1) keys.push((await aStory(workspace, team)).key)
  const [first] = keys
  assert.ok(keys.filter((key) => key.startsWith(first!)).length > 5)
  const found = (await search(workspace, ` ${first!.toLowerCase()} `)).filter(({ noun }) => noun === 'story')
  assert.equal(found.length, 5)
  assert.equal(found[0]?.key, first)
  assert.deepEqual(
    found.slice(1).map(({ key }) => key),
    keys
      .filter((key) => key !== first && key.startsWith(first!))
      .toReversed()
      .slice(0, 4),
  )
})

test('words in old titles are found anywhere, or by how they begin where the database has no trigrams', async () => {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const { key } = await aStory(workspace, team, { title: 'Parcels (without) a label' })
  const superuser = new pg.Client(superuserIn(database.connection))
  await superuser.connect()
  // As many newer ones as are looked through without an index.
  await superuser.query(
    `insert into stories (id, workspace_id, team_id, key, title, description, column_id, readiness_score, created_at, updated_at)
     select ('ffffffff-ffff-7fff-8fff-' || lpad(n::text, 12, '0'))::uuid, workspace_id, team_id, 'ZZ-' || n, 'Something else', '',
       column_id, 50, now(), now()
     from stories, generate_series(1, 2000) as n where key = $1`,
    [key],
  )
  const { database: name, user } = database.connection
  const found = async (words: string) => (await search(workspace, words)).some((one) => one.key === key)
  const indexes = async () => {
    const { rows } = await superuser.query<{ name: string }>(
      `select indexname as name from pg_indexes where indexname ~ '^stories_by_(trigrams|words)$'`,
    )
    return rows.map((row) => row.name)
  }
  const assertTrigrams = async () => {
    assert.deepEqual(await indexes(), ['stories_by_trigrams'])
    for (const words of ['without', 'ARCEL', '(without)', 'els (w', key.slice(0, -1)])
      assert.ok(await found(words), words)
    assert.ok(!(await found('arxel')))
  }
  try {
    await assertTrigrams()
    await superuser.query('drop extension pg_trgm cascade')
    await superuser.query(`revoke create on database ${name} from ${user}, public`)
    await migrate(database.connection)
    assert.deepEqual(await indexes(), ['stories_by_words'])
    for (const words of ['without', 'PARC', '(without)', 'par lab', key]) assert.ok(await found(words), words)
    for (const words of ['arcel', "o'brien & !", 'par xyz']) assert.ok(!(await found(words)), words)
    await superuser.query(`grant create on database ${name} to ${user}`)
    await migrate(database.connection)
    await assertTrigrams()
    // Without three letters in a row no index helps: it is looked for in the newest.
    assert.ok(!(await found('a l')))
    assert.ok((await search(workspace, 'g e')).some(({ title }) => title === 'Something else'))
  } finally {
    await superuser.end()
  }
})

test('words are found in any order, each as it was typed', async () => {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const { key } = await aStory(workspace, team, { title: 'Retry card authorisation at 100%' })
  await aStory(workspace, team, { title: 'Retry the upload' })
  const keys = async (words: string) =>
    (await search(workspace, words)).filter(({ noun }) => noun === 'story').map((found) => found.key)
  assert.deepEqual(await keys('card retry'), [key])
  assert.deepEqual(await keys('  CARD   100% retry '), [key])
  assert.deepEqual(await keys('card upload'), [])
})
