import { nextKey } from '../../server/domain/keys.ts'
import type { Entry } from '../../server/domain/record/audit/change.ts'
import { authorities } from '../../server/domain/work/decisions/authority.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import { tables } from '../../server/test/tables.ts'
import { scheduler } from '../actors.ts'
import type { DemoDecision, DemoTeam } from '../script.ts'
import { usualOptions } from '../usual-options.ts'
import type { Past } from './past.ts'
import { factsOf } from './race.ts'

type Closing = 'decision_expired' | 'decision_cancelled' | 'decision_superseded'

/** A decision with its answer, in SQL: through the verbs, answers of last week would set runs in motion now. */
export function addDecision(past: Past, team: DemoTeam, decision: DemoDecision): void {
  const { kind, answered, note = null, closed } = decision
  let key = ''
  const about = (): Pick<Entry, 'team' | 'runKey' | 'entity'> => ({
    team: team.slug,
    runKey: decision.run ? past.runs.get(decision.run)!.key : null,
    entity: { type: 'decision', id: key, name: decision.title },
  })
  past.wrote({
    minutesAgo: decision.createdMinutesAgo,
    write: async (tx, at) => {
      key = await insertDecision(tx, past, team, decision, at)
    },
    audit: () => ({
      event: 'decision_raised',
      ...about(),
      details: { kind, recommendation: recommendationOf(decision) },
    }),
  })
  if (answered) {
    const { id: optionId, action } = answerOf(decision, answered)
    past.wrote({
      minutesAgo: answered.minutesAgo,
      actor: { type: 'human', email: answered.by },
      channel: answered.via,
      audit: () => ({
        event: 'decision_resolved',
        ...about(),
        details: { kind, optionId, action, note, effects: [] },
      }),
    })
  }
  if (closed) {
    const details = closed.status === 'cancelled' ? { kind, cause: 'run_stopped' } : { kind }
    past.wrote({
      minutesAgo: closed.minutesAgo,
      actor: scheduler,
      audit: () => ({ event: `decision_${closed.status}`, details, ...about() }) as Entry<Closing>,
    })
  }
}

export const statusOf = ({ answered, closed }: DemoDecision) =>
  answered ? 'resolved' : (closed?.status ?? 'pending')

const optionsOf = ({ kind, options }: DemoDecision) => options ?? usualOptions[kind]!

const recommendationOf = (decision: DemoDecision) => decision.recommendation ?? optionsOf(decision)[0]!.id

const answerOf = (decision: DemoDecision, { optionId }: NonNullable<DemoDecision['answered']>) =>
  optionsOf(decision).find(({ id }) => id === (optionId ?? recommendationOf(decision)))!

async function insertDecision(
  tx: Tx,
  past: Past,
  team: DemoTeam,
  decision: DemoDecision,
  at: Date,
): Promise<string> {
  const key = await nextKey(tx, past.workspaceId, 'dec')
  const { answered, createdMinutesAgo, expiresInMinutes } = decision
  const story = team.runs.find(({ id }) => id === decision.run)?.storyKey
  const week = 7 * 24 * 60
  const raced = team.runs.find(({ id, race }) => id === decision.run && race)
  const race = decision.kind === 'merge_approval' && raced ? factsOf(raced) : null
  await tables(tx)
    .insertInto('decisions')
    .values({
      id: newId(at),
      workspace_id: past.workspaceId,
      team_id: past.teamIds.get(team.slug)!,
      story_id: story ? past.storyIds.get(story)! : null,
      run_id: decision.run ? past.runs.get(decision.run)!.id : null,
      key,
      kind: decision.kind,
      authority: authorities[decision.kind],
      title: decision.title,
      body: decision.body,
      status: statusOf(decision),
      options: JSON.stringify(optionsOf(decision)),
      recommendation: recommendationOf(decision),
      facts: JSON.stringify(
        decision.kind === 'policy_exception'
          ? { paths: pathsIn(decision.body), plan: null, foundIn: 'the plan' }
          : (decision.facts ?? race ?? {}),
      ),
      proposal_id: await insertProposal(tx, past, team, decision, at),
      ...(answered && {
        resolution_option: answerOf(decision, answered).id,
        resolution_note: decision.note ?? null,
        resolved_by: past.personId(answered.by),
        resolved_via: answered.via,
        resolved_at: past.at(answered.minutesAgo),
      }),
      expires_at: past.at(expiresInMinutes ? -expiresInMinutes : createdMinutesAgo - week),
      created_at: at,
    })
    .execute()
  return key
}

/** The proposal that a decision without a run asks about. */
async function insertProposal(
  tx: Tx,
  past: Past,
  team: DemoTeam,
  decision: DemoDecision,
  at: Date,
): Promise<string | null> {
  if (decision.run) return null
  const id = newId(at)
  const status = proposalStatusOf(decision)
  await tables(tx)
    .insertInto('proposals')
    .values({
      id,
      workspace_id: past.workspaceId,
      team_id: past.teamIds.get(team.slug)!,
      kind: decision.kind as 'maintenance_proposal',
      fingerprint: decision.title,
      title: decision.title,
      body: decision.body,
      story: decision.story ? JSON.stringify(decision.story) : null,
      status,
      created_at: at,
      decided_at: status === 'open' ? null : at,
    })
    .execute()
  return id
}

function proposalStatusOf(decision: DemoDecision) {
  if (decision.closed) return 'lapsed'
  if (!decision.answered) return 'open'
  return answerOf(decision, decision.answered).action === 'accept_proposal' ? 'accepted' : 'declined'
}

/** The paths a text names in code style. */
const pathsIn = (text: string) => [
  ...new Set([...text.matchAll(/`([\w./-]+\/[\w./*-]+)`/g)].map((match) => match[1]!)),
]
