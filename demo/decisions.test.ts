import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { decisionKinds } from '@signalbox/contract/decision.ts'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import { authorities } from '../server/domain/work/decisions/authority.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { marlowBayFerries } from './marlow-bay-ferries/workspace.ts'
import type { DemoPerson } from './script.ts'

test('the manual gives every kind of decision the authority that the engine asks for', async () => {
  const manual = await readFile(path.join(import.meta.dirname, '../docs/manual/decisions.md'), 'utf8')
  const rows = manual.matchAll(/^\| `(\w+)` \| [^|]+ \| (member|admin|owner) \| [^|]+ \|$/gm)
  const told = Object.fromEntries([...rows].map(([, kind, role]) => [kind!, role!]))
  assert.deepEqual(told, authorities)
  assert.deepEqual(Object.keys(told).sort(), [...decisionKinds].sort())
})

/** The role a person had then. */
const roleAt = ({ role, promoted }: DemoPerson, minutesAgo: number) =>
  promoted && minutesAgo <= promoted.minutesAgo ? promoted.to : role

test("every answer of the demo was given by someone who had the authority of the decision's kind", () => {
  const answers = [haldenParcels, marlowBayFerries].flatMap(({ people, teams }) =>
    teams.flatMap(({ decisions }) =>
      decisions.flatMap(({ kind, title, answered }) =>
        answered
          ? [{ kind, title, ...answered, person: people.find(({ email }) => email === answered.by)! }]
          : [],
      ),
    ),
  )
  assert.ok(answers.length > 30)
  for (const { kind, title, person, minutesAgo } of answers)
    assert.ok(isAtLeast(roleAt(person, minutesAgo), authorities[kind]), `${person.name}, ${kind}: ${title}`)
})

test('the first keystroke of the README approves a plan, and that plan has a run that continues', async () => {
  const readme = await readFile(path.join(import.meta.dirname, '../README.md'), 'utf8')
  assert.match(readme, /press `1`, then `Enter`: you've approved a plan, and its run continues/)
  const weekMinutes = 7 * 24 * 60
  // The template is made once a day, so it may be as old as this when it is looked at.
  const dayMinutes = 24 * 60
  const waiting = haldenParcels.teams
    .flatMap(({ decisions, runs }) => decisions.map((decision) => ({ ...decision, runs })))
    .filter(({ answered, closed }) => !answered && !closed)
    .map((one) => ({ ...one, left: one.expiresInMinutes ?? weekMinutes - one.createdMinutesAgo }))
    .toSorted((a, b) => a.left - b.left)
  const [first, second] = waiting
  assert.ok(
    first!.left > dayMinutes && first!.left < second!.left,
    'it is the first of the inbox all day long',
  )
  assert.equal(first!.kind, 'plan_approval')
  assert.equal(first!.options?.[0]?.action ?? 'approve_plan', 'approve_plan')
  const run = first!.runs.find(({ id }) => id === first!.run)
  assert.equal(run?.attempts.at(-1)?.status, 'waiting', 'its run waits for this answer')
})
