import { runPhases } from '@signalbox/contract/app/runs.ts'
import { type Transition, transitions } from '../server/domain/engine/machine/machine.ts'
import { type Phase, statusOf } from '../server/domain/work/runs/phase.ts'

/** docs/run-life.md: the transition table of runs, drawn and written out. */
export const runLife = () => `# A run's life

Made from the transition table in \`server/domain/engine/machine/machine.ts\`. For each event the first row that fits is taken; an event that fits no row changes nothing. [Runs](manual/runs.md) explains it in words.

\`\`\`mermaid
stateDiagram-v2
  direction LR
  [*] --> queued: a Ready story is taken
${arrows().join('\n')}
  succeeded --> [*]
\`\`\`

Not drawn: a person can stop a run wherever it is open (\`stopped\`), and a run ends when its story leaves the team (\`story_left\`).

## Phases

| Phase | Status | Whose turn it is |
|---|---|---|
${runPhases.map((phase) => `| \`${phase}\` | \`${statusOf(phase)}\` | ${turns[phase]} |`).join('\n')}

## Transitions

| Event | From | If | To |
|---|---|---|---|
${transitions.map((row) => `| \`${row.on}\` | ${fromOf(row)} | ${row.when?.[0] ?? ''} | \`${row.to}\` |`).join('\n')}
`

const turns: Record<Phase, string> = {
  queued: "the engine's: it waits for a slot, for money, or for a pause to pass",
  working: "a worker's: a work order is out, under a lease",
  waiting: "a person's: a decision is pending",
  opening: "the engine's: the pull request is being opened",
  merging: "the engine's: the pull request is being merged",
  watching: "the engine's: the main branch is checked after the merge",
  reverting: "the engine's: a revert is being opened",
  succeeded: 'no one’s',
  failed: 'no one’s, unless a person retries it',
  timed_out: 'no one’s, unless a person retries it',
  stopped: 'no one’s, unless a person retries it',
}

const fromOf = (row: Transition) =>
  row.from.map((phase) => `\`${phase}\``).join(', ') +
  (row.stage ? ` while ${row.stage.map((stage) => `\`${stage}\``).join(' or ')}` : '') +
  (row.checksMain ? ', the main branch being checked' : '')

/** One arrow between two phases, with every event that goes that way. What can happen anywhere open is drawn once. */
function arrows(): string[] {
  const named = new Map<string, Set<string>>()
  for (const row of transitions) {
    if (row.from.length > 3) continue
    for (const from of row.from) {
      const arrow = `${from} --> ${row.to}`
      named.set(arrow, (named.get(arrow) ?? new Set()).add(row.on))
    }
  }
  return [...named].map(([arrow, events]) => `  ${arrow}: ${[...events].join(', ')}`)
}
