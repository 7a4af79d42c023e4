import type { Entry } from '../../server/domain/audit/change.ts'
import { nextKey } from '../../server/domain/keys.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import type { DemoDecision, DemoTeam } from '../script.ts'
import type { Past } from './past.ts'

type Closing = 'decision_expired' | 'decision_cancelled' | 'decision_superseded'

/** A decision with its answer, in SQL: through the verbs, answers of last week would set runs in motion now. */
export function addDecision(past: Past, team: DemoTeam, decision: DemoDecision): void {
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
      details: { kind: decision.kind, recommendation: decision.recommendation },
    }),
  })
  const { kind } = decision
  const closed = (minutesAgo: number, said: Pick<Entry<Closing>, 'event' | 'details'>) =>
    past.wrote({
      minutesAgo,
      actor: { type: 'system', name: 'scheduler' },
      audit: () => ({ ...said, ...about() }) as Entry<Closing>,
    })
  switch (decision.status) {
    case 'resolved':
      past.wrote({
        minutesAgo: decision.resolvedMinutesAgo,
        actor: { type: 'human', email: decision.by },
        channel: decision.via,
        audit: () => ({
          event: 'decision_resolved',
          ...about(),
          details: {
            kind,
            optionId: decision.optionId,
            action: decision.options.find(({ id }) => id === decision.optionId)!.action,
            note: decision.note,
            effects: [],
          },
        }),
      })
      break
    case 'expired':
      closed(decision.expiredMinutesAgo, { event: 'decision_expired', details: { kind } })
      break
    case 'cancelled':
      closed(decision.cancelledMinutesAgo, {
        event: 'decision_cancelled',
        details: { kind, cause: 'run_stopped' },
      })
      break
    case 'superseded':
      closed(decision.supersededMinutesAgo, { event: 'decision_superseded', details: { kind } })
      break
  }
}

async function insertDecision(
  tx: Tx,
  past: Past,
  team: DemoTeam,
  decision: DemoDecision,
  at: Date,
): Promise<string> {
  const key = await nextKey(tx, past.workspaceId, 'dec')
  const week = 7 * 24 * 60
  const expiresMinutesAgo =
    decision.status === 'pending'
      ? -decision.expiresInMinutes
      : decision.status === 'expired'
        ? decision.expiredMinutesAgo
        : decision.createdMinutesAgo - week
  await tx
    .insertInto('decisions')
    .values({
      id: newId(at),
      workspace_id: past.workspaceId,
      team_id: past.teamIds.get(team.slug)!,
      story_id: decision.storyKey ? past.storyIds.get(decision.storyKey)! : null,
      run_id: decision.run ? past.runs.get(decision.run)!.id : null,
      key,
      kind: decision.kind,
      authority: decision.authority,
      title: decision.title,
      body: decision.body,
      status: decision.status,
      options: JSON.stringify(decision.options),
      recommendation: decision.recommendation,
      facts: JSON.stringify(
        decision.kind === 'policy_exception'
          ? { paths: pathsIn(decision.body), plan: null, foundIn: 'the plan' }
          : {},
      ),
      proposal_id: await insertProposal(tx, past, team, decision, at),
      ...(decision.status === 'resolved'
        ? {
            resolution_option: decision.optionId,
            resolution_note: decision.note,
            resolved_by: past.personId(decision.by),
            resolved_via: decision.via,
            resolved_at: past.at(decision.resolvedMinutesAgo),
          }
        : {}),
      expires_at: past.at(expiresMinutesAgo),
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
  await tx
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
  if (decision.status === 'pending') return 'open'
  if (decision.status !== 'resolved') return 'lapsed'
  const accepted = decision.options.find(({ action }) => action === 'accept_proposal')?.id
  return decision.optionId === accepted ? 'accepted' : 'declined'
}

/** The paths a text names in code style. */
const pathsIn = (text: string) => [
  ...new Set([...text.matchAll(/`([\w./-]+\/[\w./*-]+)`/g)].map((match) => match[1]!)),
]
