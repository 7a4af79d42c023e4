import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { testDatabase } from '../../../test/database.ts'
import { aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { foldCounts } from './fold-counts.ts'

const database = await testDatabase()
after(() => database.close())

/** Two that write at the same time, past the domain: the database itself keeps the amounts. */
const writers = [0, 1].map(() => new pg.Client(database.connection))
let workspaceId: string
before(async () => {
  const workspace = await aWorkspace(database.db)
  workspaceId = workspace.workspaceId
  for (const _ of writers) await aStory(workspace, await aTeam(workspace))
  for (const writer of writers) await writer.connect()
  // What the others refer to is no part of this.
  for (const writer of writers) {
    await writer.query(`create temp table given as
      select t.id as team_id, array(select id from columns c where c.team_id = t.id) as columns from teams t`)
  }
})
after(async () => {
  for (const writer of writers) await writer.end()
})

/** What a transaction may do; `n` chooses among the rows. Many at a time, as an import does it, or one. */
const acts = {
  add: (n: number) => `
    insert into stories (id, workspace_id, team_id, key, title, description, column_id, draft, readiness_score, size,
      created_at, updated_at)
    select gen_random_uuid(), '${workspaceId}', team_id, gen_random_uuid()::text, 'A story', '', columns[1 + (${n} + i) % 6],
      i % 3 = 0, 50, (array['s', 'm', null])[1 + i % 3], now(), now()
    from given, generate_series(1, 1 + ${n} % 4) as i where team_id = (select team_id from given offset ${n} % 2 limit 1)`,
  move: (n: number) => `
    update stories s set column_id = columns[1 + ${n} % 6], updated_at = now() from given g
    where g.team_id = s.team_id and s.id = (select id from stories order by key offset ${n} % 9 limit 1)`,
  approve: (n: number) =>
    `update stories set draft = not draft
     where rejected_at is null and id = (select id from stories order by key offset ${n} % 9 limit 1)`,
  size: (n: number) =>
    `update stories set size = (array['s', 'm', null])[1 + ${n} % 3] where id in (select id from stories order by key limit 1 + ${n} % 3)`,
  reject: (n: number) =>
    `update stories set rejected_at = case when rejected_at is null then now() end
     where draft and id = (select id from stories order by key offset ${n} % 9 limit 1)`,
  rename: (n: number) => `update stories set title = 'Another title ${n}'`,
  remove: (n: number) =>
    `delete from stories where id = (select id from stories order by key desc offset ${n} % 9 limit 1)
       and not exists (select from decisions d where d.story_id = stories.id)`,
  ask: (n: number) => `
    insert into decisions (id, workspace_id, team_id, key, kind, authority, title, body, status, options, recommendation, created_at)
    select gen_random_uuid(), '${workspaceId}', team_id, 'dec-' || substr(md5(random()::text), 1, 4),
      (array['clarification', 'budget_stop'])[1 + ${n} % 2], 'member', 'A question', '', 'pending',
      '[{"id": "1", "label": "Yes", "action": "a"}, {"id": "2", "label": "No", "action": "b"}]', '1', now()
    from given offset ${n} % 2 limit 1 on conflict do nothing`,
  settle: (n: number) =>
    `update decisions set status = (array['cancelled', 'expired', 'superseded', 'pending'])[1 + ${n} % 4]
     where id in (select id from decisions order by key limit 1 + ${n} % 3)`,
} satisfies Record<string, (n: number) => string>

const act = fc.record({
  kind: fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])),
  n: fc.nat(50),
})
const transaction = fc.record({
  writer: fc.nat(writers.length - 1),
  acts: fc.array(act, { minLength: 1, maxLength: 4 }),
  commits: fc.boolean(),
  folds: fc.boolean(),
})

const kept = {
  story_counts: [
    `select workspace_id, team_id, column_id, draft, size, sum(amount)::int as n from story_counts
     group by 1, 2, 3, 4, 5 having sum(amount) <> 0 order by 1, 2, 3, 4, 5`,
    `select workspace_id, team_id, column_id, draft, size, count(*)::int as n from stories where rejected_at is null
     group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
  ],
  pending_counts: [
    `select workspace_id, team_id, kind, sum(amount)::int as n from pending_counts
     group by 1, 2, 3 having sum(amount) <> 0 order by 1, 2, 3`,
    `select workspace_id, team_id, kind, count(*)::int as n from decisions where status = 'pending'
     group by 1, 2, 3 order by 1, 2, 3`,
  ],
} as const

async function assertEqual(): Promise<void> {
  for (const [table, [amounts, counted]] of Object.entries(kept)) {
    const [mine, true_] = [await database.pool.query(amounts), await database.pool.query(counted)]
    assert.deepEqual(mine.rows, true_.rows, table)
  }
}

test('what is kept equals what is counted, after any changes at the same time, folded or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 8 }), async (transactions) => {
      const turns = writers.map(() => Promise.resolve())
      for (const { writer, acts: does, commits, folds } of transactions) {
        const client = writers[writer]!
        turns[writer] = turns[writer]!.then(async () => {
          await client.query('begin')
          try {
            for (const { kind, n } of does) await client.query(acts[kind](n))
            if (folds) await foldCounts(database)
            await client.query(commits ? 'commit' : 'rollback')
          } catch (error) {
            await client.query('rollback')
            // Two that change the same stories in another order, as two people may.
            if ((error as { code?: string }).code !== '40P01') throw error
          }
        })
      }
      await Promise.all(turns)
      await assertEqual()
    }),
    { numRuns: 40 },
  )
  await foldCounts(database)
  const { rows } = await database.pool.query(
    `select count(*)::int as rows, count(distinct (team_id, column_id, draft, size))::int as amounts from story_counts`,
  )
  assert.equal(rows[0].rows, rows[0].amounts, 'each is one row')
  await assertEqual()
})
