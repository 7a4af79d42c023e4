import type { Decision } from '@signalbox/contract/decision.ts'
import { sql } from 'kysely'
import { type Db, read } from '../../infra/db/db.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'

// `wire` is rendered when the decision is written; only the story, whose title may change, is added here.
const decision = sql<Rendered<Decision>>`
  select d.id, left(d.wire, -1) || ',"story":' || case when s.id is null then 'null' else
    '{"key":"' || s.key || '","title":' || to_json(s.title) || '}' end || '}' as json
  from decisions d
  left join stories s on s.workspace_id = d.workspace_id and s.id = d.story_id
`

export interface DecisionFilter {
  status?: Decision['status'] | undefined
  team?: string | undefined
  run?: string | undefined
}

export async function selectDecisions(
  db: Db,
  workspaceId: string,
  filter: DecisionFilter,
  page: PageRequest,
): Promise<Rendered<Decision>[]> {
  const ofTeam = sql`and d.team_id = (select id from teams where workspace_id = ${workspaceId} and slug = ${filter.team})`
  const ofRun = sql`and d.run_id = (select id from runs where workspace_id = ${workspaceId} and key = ${filter.run})`
  return read(
    db,
    sql<Rendered<Decision>>`
      ${decision}
      where d.workspace_id = ${workspaceId}
        ${filter.status ? sql`and d.status = ${filter.status}` : sql``}
        ${filter.team ? ofTeam : sql``}
        ${filter.run ? ofRun : sql``}
        ${page.after ? sql`and d.id < ${page.after}` : sql``}
      order by d.id desc
      limit ${rowsFor(page)}
    `,
  )
}

export async function selectDecision(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<Rendered<Decision> | undefined> {
  return (
    await read(
      db,
      sql<Rendered<Decision>>`${decision} where d.workspace_id = ${workspaceId} and d.key = ${key}`,
    )
  )[0]
}
