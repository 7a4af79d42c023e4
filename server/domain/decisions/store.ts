import type { Decision } from '@signalbox/contract/decision.ts'
import { type Db, read } from '../../infra/db/db.ts'
import { RememberedRead } from '../../infra/db/remembered.ts'
import { statement } from '../../infra/db/statement.ts'
import { type Page, type PageRequest, pageFrom, type Rendered, rowsFor } from '../page.ts'

export interface DecisionFilter {
  status?: Decision['status'] | undefined
  team?: string | undefined
  run?: string | undefined
}

const matching = `
  where d.workspace_id = :workspaceId
    [[and d.status = :status]]
    [[and d.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and d.run_id = (select id from runs where workspace_id = :workspaceId and key = :run)]]
    [[and d.id < :after]]
  order by d.id desc
  limit #rows
`

/** Pages of decisions are asked for again and again while people wait, and seldom change. */
const pages = new RememberedRead<Rendered<Decision>, Page<Decision>>({
  versions: `select d.key, d.xmin::text as version from decisions d ${matching}`,
  rows: `select d.id, d.wire as json, d.key, d.xmin::text as version from decisions d ${matching}`,
})

const one = statement<Rendered<Decision>>(`
  select d.id, d.wire as json
  from decisions d
  where d.workspace_id = :workspaceId and d.key = :key`)

export async function selectDecisions(
  db: Db,
  workspaceId: string,
  { status, team, run }: DecisionFilter,
  page: PageRequest,
): Promise<Page<Decision>> {
  const parameters = { workspaceId, status, team, run, ...page, rows: rowsFor(page) }
  return pages.read(db, parameters, (rows) => pageFrom(rows, page))
}

export async function selectDecision(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<Rendered<Decision> | undefined> {
  return (await read(db, one, { workspaceId, key }))[0]
}
