import type { Decision, Run, Story } from '@signalbox/client'
import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { money } from '@signalbox/contract/money.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { currentAccount } from '../accounts.ts'
import { appClientOf } from '../app.ts'
import type { showLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { ago } from '../terminal/ago.ts'
import { colour, statusColour } from '../terminal/colour.ts'
import { oneLine, print, printJson } from '../terminal/print.ts'

export async function run({ values, positionals }: Asked<typeof showLine>): Promise<void> {
  const key = positionals[0]!
  const kind = kindOfKey(key)
  if (kind === 'incident') {
    const incident = await appClientOf(await currentAccount()).read('incidents.read', { incident: key })
    return values.json ? printJson(incident) : showIncident(incident)
  }
  const client = await connect()
  if (kind === 'decision') {
    const decision = await client.readDecision({ decision: key })
    return values.json ? printJson(decision) : showDecision(decision)
  }
  if (kind === 'run') {
    const found = await client.readRun({ run: key })
    return values.json ? printJson(found) : showRun(found)
  }
  const story = await client.readStory({ story: key })
  return values.json ? printJson(story) : showStory(story)
}

function showDecision(decision: Decision): void {
  const { key, title, status, kind, team, story, runKey, createdAt, expiresAt, body, options } = decision
  heading(key, title)
  facts({
    Status: painted(status),
    Kind: kind,
    Team: team,
    Story: story && `${story.key} ${story.title}`,
    Run: runKey,
    Raised: ago(createdAt),
    Expires: expiresAt && ago(expiresAt),
  })
  text(body)
  print()
  for (const [index, { id, label, recommended }] of options.entries()) {
    const chosen = decision.resolution?.optionId === id ? '  ← answered' : ''
    print(`  ${index + 1}  ${oneLine(label)}${recommended ? colour('gray', '  (recommended)') : ''}${chosen}`)
  }
  if (decision.resolution?.note) text(`Note: ${decision.resolution.note}`)
  if (status === 'pending') print(colour('gray', `\nAnswer with: signalbox answer ${key} NUMBER`))
}

function showRun(found: Run): void {
  const { key, story, status, stage, executor, team, costCents, budgetCents, failureClass } = found
  heading(key, `${story.key} ${story.title}`)
  facts({
    Status: `${painted(status)}${failureClass ? ` (${failureClass})` : ''}`,
    Stage: stage,
    Team: team,
    Agent: executor,
    Cost: `${money(costCents)} of ${money(budgetCents)}`,
    'Pull request': found.pullRequest?.url ?? null,
    Started: found.startedAt && ago(found.startedAt),
    Ended: found.completedAt && ago(found.completedAt),
  })
  print()
  for (const { attempt, status, stage, error } of found.attemptList)
    print(`  Attempt ${attempt}: ${painted(status)}, ${stage}${error ? `. ${oneLine(error)}` : ''}`)
  for (const { name, result, summary } of found.evidence?.gates ?? [])
    print(`  Gate ${oneLine(name)}: ${painted(result)}. ${oneLine(summary)}`)
  for (const { key, kind, status } of found.decisions) print(`  ${key}: ${kind}, ${painted(status)}`)
}

function showStory(story: Story): void {
  const { key, title, column, team, readinessScore, size, tracker, description, runKeys } = story
  heading(key, title)
  facts({
    Column: `${column.name}${story.draft ? ' (draft)' : ''}`,
    Team: team,
    Readiness: `${readinessScore}%`,
    Size: size,
    Tracker: tracker?.url ?? null,
    Runs: runKeys.join(', '),
    Updated: ago(story.updatedAt),
  })
  if (description) text(description)
  if (story.acceptanceCriteria.length > 0) print()
  for (const { text, status } of story.acceptanceCriteria) print(`  [${painted(status)}] ${oneLine(text)}`)
}

function showIncident(incident: IncidentPage): void {
  const { key, title, status, severity, service, team, assignee, acknowledged, openedAt } = incident
  heading(key, title)
  facts({
    Status: painted(status),
    Severity: painted(severity),
    Service: service.name,
    Team: team,
    Assignee: assignee?.name ?? null,
    Acknowledged: acknowledged && `by ${acknowledged.by}, ${ago(acknowledged.at)}`,
    Opened: ago(openedAt),
    Resolved: incident.resolvedAt && ago(incident.resolvedAt),
    Finding: incident.finding?.summary ?? null,
  })
  print()
  for (const { at, text, by } of incident.timeline)
    print(`  ${ago(at).padEnd(10)} ${oneLine(text)}${by ? ` (${oneLine(by)})` : ''}`)
}

const heading = (key: string, title: string) => print(`${colour('bold', key)}  ${oneLine(title)}`)
const painted = (status: string) => colour(statusColour(status), status)

function facts(rows: Record<string, string | null>): void {
  for (const [name, value] of Object.entries(rows))
    if (value) print(`  ${colour('gray', name.padEnd(13))} ${value}`)
}

/** Of people or agents, as they wrote it, with a little air. */
function text(given: string): void {
  print(`\n${visible(given.trim()).replaceAll(/^/gm, '  ')}`)
}
