import type { StoryListed } from '@signalbox/client'
import type { Asked } from '@signalbox/contract/command-line.ts'
import type { storiesLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { ago } from '../terminal/ago.ts'
import { colour, statusColour } from '../terminal/colour.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { table } from '../terminal/table.ts'

export async function run({ values }: Asked<typeof storiesLine>): Promise<void> {
  const { team, drafts = false, limit = '25', json } = values
  const most = Number(limit)
  const client = await connect()
  const teams = team ? [team] : (await client.listTeams().page()).data.map(({ slug }) => slug)
  const stories: StoryListed[] = []
  for (const slug of teams)
    stories.push(...(await client.listStories({ team: slug, drafts, limit: Math.min(most, 100) }).take(most)))
  if (json) return printJson(stories)
  if (stories.length === 0) return note('No stories yet.')
  print(table(['STORY', 'COLUMN', 'TEAM', 'READY', 'UPDATED', 'TITLE'], stories.map(rowOf)))
}

const rowOf = ({ key, column, team, draft, readinessScore, updatedAt, title }: StoryListed) => [
  key,
  {
    text: draft ? 'Draft' : column.name,
    paint: (text: string) => colour(draft ? 'gray' : statusColour(column.role), text),
  },
  ...[team, `${readinessScore}%`, ago(updatedAt), title],
]
