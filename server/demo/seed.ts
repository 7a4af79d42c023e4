import { columnRoles } from '@signalbox/contract/story.ts'
import type { Entry } from '../domain/audit/change.ts'
import type { Memory } from '../domain/engine/machine.ts'
import { nextKey } from '../domain/keys.ts'
import { insertPolicy } from '../domain/policies/store.ts'
import { readinessOf } from '../domain/stories/readiness.ts'
import { addPerson } from '../domain/workspaces/add-person.ts'
import { createWorkspace } from '../domain/workspaces/create.ts'
import type { Db, Tx } from '../infra/db/db.ts'
import { newId } from '../infra/ids.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { decisions, otherDecisions } from './decisions.ts'
import { moments, otherMoments } from './events.ts'
import { insertPastLog } from './past-logs.ts'
import { otherOwner, people } from './people.ts'
import { otherRuns, runs } from './runs.ts'
import type {
  DemoDecision,
  DemoMoment,
  DemoPerson,
  DemoPolicyVersion,
  DemoRun,
  DemoStory,
  DemoTeam,
  DemoWorkspace,
} from './script.ts'
import { otherStories, stories } from './stories.ts'
import { otherTeams, otherWorkspace, teams, workspace } from './teams.ts'
import { Timeline } from './timeline.ts'

type Step = Entry<'run_state_changed'>['details']
type Status = Step['status']
type Closing = 'decision_expired' | 'decision_cancelled' | 'decision_superseded'

/** What ended an attempt, where it was not that the work was finished. */
const endings: Partial<Record<Status, Step['cause']>> = {
  failed: 'failed',
  timed_out: 'overran',
  stopped: 'stopped',
}

interface Script {
  workspace: DemoWorkspace
  people: DemoPerson[]
  teams: DemoTeam[]
  stories: DemoStory[]
  runs: DemoRun[]
  decisions: DemoDecision[]
  moments: DemoMoment[]
}

/** Same for all people of the demo, which serves this machine alone. */
export const passwordOf = (person: DemoPerson): string => `demo-${person.email.split('.')[0]}-4400`

/** Writes the demo's two workspaces. The second one is written last, so its presence tells that all of it is there. */
export async function seedDemo(db: Db, now: Date): Promise<void> {
  await seedWorkspace(db, now, { workspace, people, teams, stories, runs, decisions, moments })
  await seedWorkspace(db, now, {
    workspace: otherWorkspace,
    people: [otherOwner],
    teams: otherTeams,
    stories: otherStories,
    runs: otherRuns,
    decisions: otherDecisions,
    moments: otherMoments,
  })
}

async function seedWorkspace(db: Db, now: Date, script: Script): Promise<void> {
  const timeline = new Timeline(now)
  const operator = (minutesAgo: number) => ({
    db,
    clock: { now: () => timeline.at(minutesAgo) },
    actor: { type: 'system', name: 'operator demo' } as const,
    channel: 'operator' as const,
    queue: silentQueue,
  })
  const { id } = await createWorkspace(operator(script.workspace.createdMinutesAgo), script.workspace)
  for (const person of script.people) {
    const joined = { ...person, role: person.joinedAs, password: passwordOf(person) }
    const added = await addPerson({ ...operator(person.joinedMinutesAgo), workspaceId: id }, joined)
    timeline.know(person.email, { id: added.id, name: person.name, role: person.role })
  }
  new Seeding(id, timeline, script).addAll()
  await timeline.play(db, id)
}

/** Turns the script of one workspace into happenings. Ids and keys are known once the rows are written. */
class Seeding {
  readonly #workspaceId: string
  readonly #timeline: Timeline
  readonly #script: Script
  readonly #teamIds = new Map<string, string>()
  readonly #columnIds = new Map<string, string>()
  readonly #storyIds = new Map<string, string>()
  readonly #runs = new Map<string, { id: string; key: string }>()

  constructor(workspaceId: string, timeline: Timeline, script: Script) {
    this.#workspaceId = workspaceId
    this.#timeline = timeline
    this.#script = script
  }

  addAll(): void {
    for (const team of this.#script.teams) {
      this.#addTeam(team)
      team.policyVersions.forEach((policy, index) => {
        this.#addPolicy(team, policy, team.policyVersions[index - 1])
      })
    }
    for (const story of this.#script.stories) this.#addStory(story)
    for (const run of this.#script.runs) this.#addRun(run)
    for (const decision of this.#script.decisions) this.#addDecision(decision)
    for (const moment of this.#script.moments) this.#addMoment(moment)
  }

  #addTeam(team: DemoTeam): void {
    this.#timeline.add({
      minutesAgo: team.createdMinutesAgo,
      actor: { type: 'human', email: team.createdBy },
      channel: 'app',
      write: (tx, at) => this.#insertTeam(tx, team, at),
      audit: () => ({
        event: 'team_created',
        team: team.slug,
        entity: { type: 'team', id: team.slug, name: team.name },
        details: { keyPrefix: team.keyPrefix },
      }),
    })
  }

  async #insertTeam(tx: Tx, team: DemoTeam, at: Date): Promise<void> {
    const id = newId(at)
    this.#teamIds.set(team.slug, id)
    const changes = [...team.policyVersions.map((policy) => policy.minutesAgo), team.pausedMinutesAgo].filter(
      (m) => m !== null,
    )
    await tx
      .insertInto('teams')
      .values({
        id,
        workspace_id: this.#workspaceId,
        slug: team.slug,
        name: team.name,
        description: team.description,
        key_prefix: team.keyPrefix,
        ...this.#pauseOf(team),
        last_story_number: Math.max(0, ...this.#storiesOf(team).map((story) => story.number)),
        created_at: at,
        updated_at: changes.length > 0 ? this.#timeline.at(Math.min(...changes)) : null,
      })
      .execute()
    const names = {
      backlog: 'Backlog',
      refining: 'Refining',
      ready: 'Ready',
      in_progress: 'In progress',
      review: 'Review',
      done: 'Done',
    }
    const columns = columnRoles.map((role, position) => ({
      id: newId(at),
      workspace_id: this.#workspaceId,
      team_id: id,
      name: names[role],
      role,
      position,
    }))
    await tx.insertInto('columns').values(columns).execute()
    for (const column of columns) this.#columnIds.set(`${team.slug}/${column.role}`, column.id)
  }

  /** The newest of the moments at which it was paused tells by whom and why. */
  #pauseOf(team: DemoTeam) {
    if (team.pausedMinutesAgo === null) return {}
    const moment = this.#script.moments.findLast(
      (said) => said.event === 'team_paused' && said.teamSlug === team.slug,
    ) as Extract<DemoMoment, { event: 'team_paused' }>
    return {
      paused_at: this.#timeline.at(team.pausedMinutesAgo),
      paused_by: moment.actor.type === 'human' ? this.#nameOf(moment.actor.email) : null,
      pause_reason: moment.details?.reason ?? null,
    }
  }

  #nameOf = (email: string) => this.#script.people.find((person) => person.email === email)!.name

  #storiesOf = (team: DemoTeam) => this.#script.stories.filter((story) => story.teamSlug === team.slug)

  #addPolicy(team: DemoTeam, policy: DemoPolicyVersion, before: DemoPolicyVersion | undefined): void {
    this.#timeline.add({
      minutesAgo: policy.minutesAgo,
      actor: { type: 'human', email: policy.by },
      channel: 'app',
      write: async (tx, at) => {
        await insertPolicy(tx, this.#workspaceId, this.#teamIds.get(team.slug)!, policy, {
          by: this.#nameOf(policy.by),
          reason: policy.reason,
          at,
        })
        await tx
          .updateTable('teams')
          .set({ policy_version: policy.version })
          .where('id', '=', this.#teamIds.get(team.slug)!)
          .execute()
      },
      audit: () => ({
        event: 'policy_changed',
        team: team.slug,
        entity: { type: 'policy', id: team.slug, name: `Policy of ${team.name}` },
        details: { version: policy.version, reason: policy.reason, changes: differences(before, policy) },
      }),
    })
  }

  #keyOf(story: DemoStory): string {
    return `${this.#script.teams.find((team) => team.slug === story.teamSlug)!.keyPrefix}-${story.number}`
  }

  #addStory(story: DemoStory): void {
    const key = this.#keyOf(story)
    const entity = { type: story.draft ? 'draft' : 'story', id: key, name: story.title } as const
    this.#timeline.add({
      minutesAgo: story.createdMinutesAgo,
      actor: { type: 'service' },
      channel: 'schedule',
      write: (tx, at) => this.#insertStory(tx, story, key, at),
      audit: () => ({
        event: 'story_changed',
        team: story.teamSlug,
        entity,
        details: story.draft
          ? { change: 'drafted' }
          : { change: 'mirrored', trackerKey: story.tracker?.key ?? null },
      }),
    })
    if (story.updatedMinutesAgo === story.createdMinutesAgo || story.columnRole === 'backlog') return
    this.#timeline.add({
      minutesAgo: story.updatedMinutesAgo,
      actor: { type: 'service' },
      channel: 'schedule',
      audit: () => ({
        event: 'story_changed',
        team: story.teamSlug,
        entity,
        details: {
          change: 'moved',
          changes: [{ field: 'column', before: 'backlog', after: story.columnRole }],
        },
      }),
    })
  }

  async #insertStory(tx: Tx, story: DemoStory, key: string, at: Date): Promise<void> {
    const id = newId(at)
    this.#storyIds.set(key, id)
    await tx
      .insertInto('stories')
      .values({
        id,
        workspace_id: this.#workspaceId,
        team_id: this.#teamIds.get(story.teamSlug)!,
        key,
        title: story.title,
        description: story.description,
        acceptance_criteria: JSON.stringify(
          story.acceptanceCriteria.map(({ verifiedMinutesAgo, ...criterion }) => ({
            ...criterion,
            verifiedAt: this.#iso(verifiedMinutesAgo),
          })),
        ),
        demonstrate: story.demonstrate,
        column_id: this.#columnIds.get(`${story.teamSlug}/${story.columnRole}`)!,
        draft: story.draft,
        readiness_score: readinessOf(story).score,
        size: story.size,
        complexity: story.complexity,
        class_of_service: story.classOfService,
        tracker_platform: story.tracker?.platform ?? null,
        tracker_key: story.tracker?.key ?? null,
        tracker_url: story.tracker?.url ?? null,
        created_at: at,
        updated_at: this.#timeline.at(story.updatedMinutesAgo),
      })
      .execute()
  }

  #addRun(run: DemoRun): void {
    const story = this.#script.stories.find((candidate) => this.#keyOf(candidate) === run.storyKey)!
    const about = (): Pick<Entry, 'team' | 'runKey' | 'entity'> => {
      const { key } = this.#runs.get(run.id)!
      return { team: story.teamSlug, runKey: key, entity: { type: 'run', id: key, name: story.title } }
    }
    this.#timeline.add({
      minutesAgo: run.createdMinutesAgo,
      actor: { type: 'service' },
      channel: 'schedule',
      write: (tx, at) => this.#insertRun(tx, run, story, at),
      audit: () => ({
        event: 'run_started',
        ...about(),
        details: { story: run.storyKey, budgetCents: run.budgetCents, executor: run.executor },
      }),
    })
    run.attempts.forEach((attempt, index) => {
      const number = index + 1
      const step = (
        minutesAgo: number,
        by: string | undefined,
        [before, status]: [Status, Status],
        details: Pick<Step, 'cause'> & Partial<Step>,
        failed = false,
      ) =>
        this.#timeline.add({
          minutesAgo,
          actor: by ? { type: 'human', email: by } : { type: 'service' },
          channel: by ? 'app' : 'schedule',
          audit: () => ({
            event: 'run_state_changed',
            ...about(),
            result: failed ? 'failure' : 'success',
            details: {
              status,
              stage: 'planning',
              attempt: number,
              changes: [{ field: 'status', before, after: status }],
              ...details,
            },
          }),
        })
      if (attempt.retried)
        step(attempt.retried.minutesAgo, attempt.retried.by, ['failed', 'queued'], { cause: 'retried' })
      if (attempt.startedMinutesAgo !== null)
        step(attempt.startedMinutesAgo, undefined, ['queued', 'running'], { cause: 'started' })
      if (attempt.completedMinutesAgo === null) return
      const { status, stage, failureClass, costCents } = attempt
      const failed = status === 'failed' || status === 'timed_out'
      const end = {
        cause: endings[status] ?? 'finished',
        stage,
        costCents,
        ...(failureClass ? { failureClass } : {}),
      }
      step(attempt.completedMinutesAgo, attempt.stoppedBy, ['running', status], end, failed)
    })
  }

  async #insertRun(tx: Tx, run: DemoRun, story: DemoStory, at: Date): Promise<void> {
    const row = { id: newId(at), key: await nextKey(tx, this.#workspaceId, 'run') }
    this.#runs.set(run.id, row)
    await tx
      .insertInto('runs')
      .values({
        ...row,
        workspace_id: this.#workspaceId,
        team_id: this.#teamIds.get(story.teamSlug)!,
        story_id: this.#storyIds.get(run.storyKey)!,
        attempts: run.attempts.length,
        budget_cents: run.budgetCents,
        pull_request_url: run.pullRequest?.url ?? null,
        pull_request_number: run.pullRequest?.number ?? null,
        evidence: run.evidence && JSON.stringify(this.#evidence(run.evidence)),
        ...this.#standing(run, this.#timeline.at(0)),
        created_at: at,
      })
      .execute()
    await tx
      .insertInto('attempts')
      .values(
        run.attempts.map((attempt, index) => ({
          workspace_id: this.#workspaceId,
          run_id: row.id,
          attempt: index + 1,
          status: attempt.status,
          stage: attempt.stage,
          executor: isLive(attempt.status) ? 'scripted' : attempt.executor,
          cost_cents: attempt.costCents,
          cost_micros: attempt.costCents * 10_000,
          failure_class: attempt.failureClass,
          error: attempt.error,
          verification: attempt.verification && JSON.stringify(this.#verification(attempt.verification)),
          started_at:
            attempt.startedMinutesAgo === null ? null : this.#timeline.at(attempt.startedMinutesAgo),
          completed_at:
            attempt.completedMinutesAgo === null ? null : this.#timeline.at(attempt.completedMinutesAgo),
        })),
      )
      .execute()
    await this.#insertUsage(tx, run, row.id, this.#teamIds.get(story.teamSlug)!)
    await this.#insertOrder(tx, run, row.id)
    await insertPastLog(tx, { workspaceId: this.#workspaceId, ...row }, run, story, (minutesAgo) =>
      this.#timeline.at(minutesAgo),
    )
  }

  /**
   * Where the engine finds the run. One that is at work is about to be handed out again, as after a restart; what
   * came before the first event is not told.
   */
  #standing(run: DemoRun, at: Date) {
    const { status, stage } = run.attempts.at(-1)!
    const asked = this.#script.decisions.find(
      (decision) => decision.run === run.id && decision.status === 'pending',
    )
    const memory: Partial<Memory> = {
      fresh: status === 'queued' && run.attempts.length === 1,
      planApproved: stage !== 'planning',
      plan: asked?.kind === 'plan_approval' || asked?.kind === 'scope_change' ? asked.body : null,
      change: run.evidence?.changes ?? null,
      waitsFor: asked?.kind ?? null,
    }
    return {
      place: status === 'running' ? ('working' as const) : status,
      wake_at: status === 'queued' ? this.#timeline.at(0) : null,
      fence: status === 'running' ? 1 : 0,
      memory: JSON.stringify(memory),
    }
  }

  /** What each attempt has cost, in one bill at its end. */
  async #insertUsage(tx: Tx, run: DemoRun, runId: string, teamId: string): Promise<void> {
    const bills = run.attempts.flatMap((attempt, index) =>
      attempt.costCents === 0
        ? []
        : {
            workspace_id: this.#workspaceId,
            team_id: teamId,
            run_id: runId,
            attempt: index + 1,
            // Before the first order that is given out from now on.
            fence: 0,
            report: index + 1,
            at: this.#timeline.at(attempt.completedMinutesAgo ?? attempt.startedMinutesAgo ?? 0),
            amount: String(attempt.costCents / 100),
            currency: 'EUR',
            euro_rate: '1',
            euro_micros: attempt.costCents * 10_000,
          },
    )
    if (bills.length > 0) await tx.insertInto('usage_ledger').values(bills).execute()
  }

  /** The order of a run that is at work, not yet handed out. */
  async #insertOrder(tx: Tx, run: DemoRun, runId: string): Promise<void> {
    if (run.attempts.at(-1)!.status !== 'running') return
    const now = this.#timeline.at(0)
    const { stage, startedMinutesAgo } = run.attempts.at(-1)!
    await tx
      .insertInto('work_orders')
      .values({
        workspace_id: this.#workspaceId,
        run_id: runId,
        fence: 1,
        attempt: run.attempts.length,
        stage,
        state: 'offered',
        offered_at: this.#timeline.at(startedMinutesAgo ?? 0),
        lease_until: this.#timeline.at(-1),
      })
      .execute()
    await tx
      .insertInto('effects')
      .values({
        id: newId(now),
        workspace_id: this.#workspaceId,
        run_id: runId,
        kind: 'hand_out',
        key: `hand_out/${runId}/1`,
        data: JSON.stringify({ fence: 1 }),
        due_at: now,
        created_at: now,
      })
      .execute()
  }

  #evidence = ({ collectedMinutesAgo, ...evidence }: NonNullable<DemoRun['evidence']>) => ({
    ...evidence,
    collectedAt: this.#iso(collectedMinutesAgo),
  })

  #verification = ({
    verifiedMinutesAgo,
    ...verification
  }: NonNullable<DemoRun['attempts'][number]['verification']>) => ({
    ...verification,
    verifiedAt: this.#iso(verifiedMinutesAgo),
  })

  #addDecision(decision: DemoDecision): void {
    let key = ''
    const { kind } = decision
    const about = (): Pick<Entry, 'team' | 'runKey' | 'entity'> => ({
      team: decision.teamSlug,
      runKey: decision.run ? this.#runs.get(decision.run)!.key : null,
      entity: { type: 'decision', id: key, name: decision.title },
    })
    this.#timeline.add({
      minutesAgo: decision.createdMinutesAgo,
      actor: { type: 'service' },
      channel: 'schedule',
      write: async (tx, at) => {
        key = await this.#insertDecision(tx, decision, at)
      },
      audit: () => ({
        event: 'decision_raised',
        ...about(),
        details: { kind, recommendation: decision.recommendation },
      }),
    })
    const closed = (minutesAgo: number, said: Pick<Entry<Closing>, 'event' | 'details'>) =>
      this.#timeline.add({
        minutesAgo,
        actor: { type: 'system', name: 'scheduler' },
        channel: 'schedule',
        audit: () => ({ ...said, ...about() }) as Entry<Closing>,
      })
    switch (decision.status) {
      case 'resolved':
        this.#timeline.add({
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

  async #insertDecision(tx: Tx, decision: DemoDecision, at: Date): Promise<string> {
    const key = await nextKey(tx, this.#workspaceId, 'dec')
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
        workspace_id: this.#workspaceId,
        team_id: this.#teamIds.get(decision.teamSlug)!,
        story_id: decision.storyKey ? this.#storyIds.get(decision.storyKey)! : null,
        run_id: decision.run ? this.#runs.get(decision.run)!.id : null,
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
        proposal_id: await this.#insertProposal(tx, decision, at),
        ...(decision.status === 'resolved'
          ? {
              resolution_option: decision.optionId,
              resolution_note: decision.note,
              resolved_by: this.#timeline.personId(decision.by),
              resolved_via: decision.via,
              resolved_at: this.#timeline.at(decision.resolvedMinutesAgo),
            }
          : {}),
        expires_at: this.#timeline.at(expiresMinutesAgo),
        created_at: at,
      })
      .execute()
    return key
  }

  /** The proposal that a decision without a run asks about. */
  async #insertProposal(tx: Tx, decision: DemoDecision, at: Date): Promise<string | null> {
    if (decision.run) return null
    const id = newId(at)
    const accepted = decision.options.find(({ action }) => action === 'accept_proposal')?.id
    const status =
      decision.status === 'pending'
        ? 'open'
        : decision.status === 'resolved'
          ? decision.optionId === accepted
            ? 'accepted'
            : 'declined'
          : 'lapsed'
    await tx
      .insertInto('proposals')
      .values({
        id,
        workspace_id: this.#workspaceId,
        team_id: this.#teamIds.get(decision.teamSlug)!,
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

  #addMoment({ minutesAgo, actor, channel, teamSlug: team, run, ...said }: DemoMoment): void {
    this.#timeline.add({
      minutesAgo,
      actor,
      channel: channel ?? (actor.type === 'human' ? 'app' : 'schedule'),
      ...(said.event === 'member_role_changed' ? { write: (tx) => this.#settleRoles(tx) } : {}),
      audit: () => ({ ...said, team, runKey: run ? this.#runs.get(run)!.key : null }),
    })
  }

  async #settleRoles(tx: Tx): Promise<void> {
    for (const person of this.#script.people.filter(({ role, joinedAs }) => role !== joinedAs)) {
      await tx
        .updateTable('memberships')
        .set({ role: person.role })
        .where('workspace_id', '=', this.#workspaceId)
        .where('person_id', '=', this.#timeline.personId(person.email))
        .execute()
    }
  }

  #iso(minutesAgo: number | null): string | null {
    return minutesAgo === null ? null : this.#timeline.at(minutesAgo).toISOString()
  }
}

/** The paths a text names in code style. */
const pathsIn = (text: string) => [
  ...new Set([...text.matchAll(/`([\w./-]+\/[\w./*-]+)`/g)].map((match) => match[1]!)),
]

/** Attempts that are not over are played on, by no agent. */
const isLive = (status: string) => status === 'queued' || status === 'running' || status === 'waiting'

/** The settings in which two versions of a policy differ, as an audit entry tells them. */
function differences(before: DemoPolicyVersion | undefined, after: DemoPolicyVersion) {
  const settings = [
    'preset',
    'executor',
    'maxConcurrency',
    'budgets',
    'planApproval',
    'mergePolicy',
    'deniedPaths',
    'acceptanceRequired',
    'gateFailureBudget',
    'autoMergeMaxLines',
  ] as const
  return settings
    .filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, before: before?.[field] ?? null, after: after[field] }))
}
