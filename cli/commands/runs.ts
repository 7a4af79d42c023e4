import type { RunListed } from '@signalbox/client'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { money } from '@signalbox/contract/money.ts'
import type { runsLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { ago } from '../terminal/ago.ts'
import { colour, statusColour } from '../terminal/colour.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { table } from '../terminal/table.ts'

export async function run({ values }: Asked<typeof runsLine>): Promise<void> {
  const { team, story, limit = '25', json } = values
  const most = Number(limit)
  const client = await connect()
  const asked = { limit: Math.min(most, 100), ...(team ? { team } : {}), ...(story ? { story } : {}) }
  const runs = await client.listRuns(asked).take(most)
  if (json) return printJson(runs)
  if (runs.length === 0) return note('No runs yet.')
  print(table(['RUN', 'STATUS', 'STAGE', 'TEAM', 'COST', 'STARTED', 'STORY'], runs.map(rowOf)))
}

const rowOf = ({ key, status, stage, team, costCents, startedAt, story }: RunListed) => [
  key,
  { text: status, paint: (text: string) => colour(statusColour(status), text) },
  ...[stage, team, money(costCents), ago(startedAt), `${story.key} ${story.title}`],
]
