import type { Decision } from '@signalbox/client'
import type { Asked } from '@signalbox/contract/command-line.ts'
import type { inboxLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { ago } from '../terminal/ago.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { table } from '../terminal/table.ts'

export async function run({ values: { team, json } }: Asked<typeof inboxLine>): Promise<void> {
  const client = await connect()
  const listed = client.listDecisions({ status: 'pending', limit: 100, ...(team ? { team } : {}) })
  const decisions = await listed.all()
  if (json) return printJson(decisions)
  if (decisions.length === 0) return note('Nothing is waiting for you.')
  const headings = ['DECISION', 'KIND', 'TEAM', 'STORY', 'RAISED', 'EXPIRES', 'TITLE']
  print(table(headings, decisions.map(rowOf)))
}

const rowOf = ({ key, kind, team, story, createdAt, expiresAt, title }: Decision) => [
  ...[key, kind, team ?? '', story?.key ?? '', ago(createdAt), ago(expiresAt), title],
]
