import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision, ResolvedDecision } from '@signalbox/contract/decision.ts'
import type { Run } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Story } from '@signalbox/contract/story.ts'
import type { Context } from '../../domain/context.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { startRace } from '../../domain/engine/supervision/start-race.ts'
import type { Verdict, WorkEvent, WorkOrder } from '../../domain/ports/work.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import type { Preset } from '../../domain/work/policies/presets.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { readStory } from '../../domain/work/stories/read.ts'
import { aPolicy, aStory, aTeam } from '../factories.ts'
import { goesWell, type TestEngine } from './engine.ts'

const firstPage = { limit: 100, after: null }

export interface Beginning {
  owner?: Context
  preset?: Preset
  departures?: Partial<PolicySettings>
  story?: Parameters<typeof aStory>[2]
  /** A person gives the story to these two. */
  race?: Parameters<typeof startRace>[3]
}

/** A run that has begun, in a team of its own, and what a test says to it and sees of it. */
export class OneRun {
  readonly engine: TestEngine
  readonly owner: Context
  readonly team: Awaited<ReturnType<typeof aTeam>>
  readonly story: { id: string; key: string }
  readonly key: string

  private constructor(of: Pick<OneRun, 'engine' | 'owner' | 'team' | 'story' | 'key'>) {
    this.engine = of.engine
    this.owner = of.owner
    this.team = of.team
    this.story = of.story
    this.key = of.key
  }

  /** Under a policy that asks no one, unless the test says otherwise. */
  static async begin(engine: TestEngine, input: Beginning = {}): Promise<OneRun> {
    const owner = input.owner ?? (await engine.workspace())
    const team = await aTeam(owner)
    const story = await aStory(owner, team, input.story)
    await aPolicy(owner, team, input.preset ?? 'autonomous', input.departures)
    if (input.race) await startRace(owner, { serves: () => true }, story.key, input.race)
    await engine.settle()
    const key = fromJson(await readStory(owner, story.key)).runKeys[0]!
    return new OneRun({ engine, owner, team, story, key })
  }

  /** A run whose plan waits to be approved: any member may. */
  static async waitingForApproval(engine: TestEngine): Promise<OneRun> {
    const run = await OneRun.begin(engine, { preset: 'supervised' })
    await run.tell(goesWell.plan)
    return run
  }

  get order(): WorkOrder {
    return this.engine.orderOf(this.key)
  }

  async read(): Promise<Run> {
    return fromJson(await readRun(this.owner, this.key))
  }

  async readStory(): Promise<Story> {
    return fromJson(await readStory(this.owner, this.story.key))
  }

  /** `[status, stage]`: where a reader sees the run. */
  async stands(): Promise<[Run['status'], Run['stage']]> {
    const { status, stage } = await this.read()
    return [status, stage]
  }

  report(event: WorkEvent): Promise<Verdict> {
    return this.engine.report(this.order, event)
  }

  /** Reports one event after the other, and lets happen what follows from each. */
  async tell(...events: WorkEvent[]): Promise<void> {
    for (const event of events) {
      await this.report(event)
      await this.engine.settle()
    }
  }

  /** What people are asked about the run or, for a proposal, about its team. */
  async pending(): Promise<Decision[]> {
    const filter = { status: 'pending', team: this.team.slug } as const
    return (await listDecisions(this.owner, filter, firstPage)).data.map(fromJson)
  }

  async asked(): Promise<Decision> {
    const all = await this.pending()
    // A red main branch asks about the team too, in addition to the run.
    const own = all.filter(({ runKey }) => runKey === this.key)
    const [decision, ...others] = own.length > 0 ? own : all
    if (!decision || others.length > 0) throw new Error(`${others.length + (decision ? 1 : 0)} are pending.`)
    return decision
  }

  /** Answers the one pending decision, and lets happen what follows. */
  async answer(optionId: string, note?: string): Promise<ResolvedDecision> {
    const { key } = await this.asked()
    const resolved = fromJson(
      await resolveDecision(this.owner, { key, optionId, ...(note === undefined ? {} : { note }) }),
    )
    await this.engine.settle()
    return resolved
  }

  /** What the log says of the run, newest first. */
  async audit() {
    return (await listAudit(this.owner, { run: this.key }, firstPage)).data.map(fromJson)
  }
}
