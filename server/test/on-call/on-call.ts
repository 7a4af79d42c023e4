import { randomBytes } from 'node:crypto'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { OnCallSettings, Service } from '@signalbox/contract/service.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { SourceKind } from '@signalbox/contract/source.ts'
import type { Context } from '../../domain/context.ts'
import { asService } from '../../domain/context.ts'
import { handleSignals } from '../../domain/on-call/incidents/handle.ts'
import type { ReadAlert, Reading } from '../../domain/on-call/senders/reading/reading.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import type { KnownSource } from '../../domain/on-call/signals/known-source.ts'
import { Receiver } from '../../domain/on-call/signals/receive.ts'
import { addSource, type NewSource } from '../../domain/on-call/sources/add.ts'
import { change } from '../../domain/record/audit/change.ts'
import { revealEntries } from '../../domain/record/audit/reveal.ts'
import type { EffectKind } from '../../domain/record/outbox/effect.ts'
import { type Performer, type Performers, performEffect } from '../../domain/record/outbox/perform.ts'
import type { Db } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { TestClock } from '../clock.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { aConnection } from '../tools/connections.ts'

/** On-call by hand: deliveries are understood, and what they lead to is done, when the test says so. */
export class OnCall {
  readonly clock = new TestClock()
  readonly secrets = secretsFrom('a key for tests that nobody else has')
  readonly receiver: Receiver
  readonly #db: Db
  #chat: ReturnType<typeof aConnection> | undefined
  workspace!: Awaited<ReturnType<typeof aWorkspace>>
  admin!: Awaited<ReturnType<typeof aMember>>
  team!: Awaited<ReturnType<typeof aTeam>>

  private constructor(db: Db) {
    this.#db = db
    this.receiver = new Receiver({ db, clock: this.clock, onWritten: () => undefined })
  }

  static async begin(db: Db): Promise<OnCall> {
    const onCall = new OnCall(db)
    onCall.workspace = await aWorkspace(db, onCall.clock)
    onCall.admin = await aMember(onCall.workspace, 'admin')
    onCall.team = await aTeam(onCall.workspace)
    return onCall
  }

  get ctx(): Context {
    return asService(this.workspace, this.workspace.workspaceId)
  }

  async service(settings: Partial<OnCallSettings> = {}, name = `Service ${hex()}`): Promise<Service> {
    return fromJson(
      await createService(this.admin, { name, team: this.team.slug, settings: { notify: [], ...settings } }),
    )
  }

  async source(kind: SourceKind, services: Service[], input: Partial<NewSource> = {}): Promise<KnownSource> {
    const name = `A ${kind} source`
    const ids = services.map(({ id }) => id)
    const { source } = await addSource(this.admin, this.secrets, { kind, name, services: ids, ...input })
    const { id } = fromJson(source)
    const proof = () => ({ secrets: [], settings: {} })
    const { workspaceId } = this.workspace
    return { id, workspaceId, kind, name: input.name ?? name, paused: false, proof }
  }

  async place(address: string): Promise<string> {
    const at = this.clock.now()
    const id = newId(at)
    this.#chat ??= aConnection(this.workspace, this.secrets, { kind: 'slack', method: 'bot' })
    const { id: connection } = await this.#chat
    return change(this.workspace, async (tx) => {
      await tables(tx)
        .insertInto('places')
        .values({
          id,
          workspace_id: this.workspace.workspaceId,
          team_id: this.team.id,
          connection_id: connection,
          tool: 'slack',
          name: address,
          address,
          created_at: at,
        })
        .execute()
      return { value: id, audit: [] }
    })
  }

  /** Something arrives and is understood. */
  async receive(source: KnownSource, reading: Partial<Reading>): Promise<void> {
    const whole = { alerts: [], test: false, problem: null, deliveryId: null, handshake: null, ...reading }
    await this.receiver.receive(source, whole)
    await this.handle()
  }

  async handle(): Promise<void> {
    await handleSignals(this.ctx)
  }

  async incidents() {
    return tables(this.#db)
      .selectFrom('incidents')
      .selectAll()
      .where('workspace_id', '=', this.workspace.workspaceId)
      .orderBy('id')
      .execute()
  }

  async effects(kind: EffectKind) {
    return tables(this.#db)
      .selectFrom('effects')
      .selectAll()
      .where('workspace_id', '=', this.workspace.workspaceId)
      .where('kind', '=', kind)
      .orderBy('id')
      .execute()
  }

  /** Does what is due of one kind, as the engine would. */
  async perform<K extends EffectKind>(kind: K, performer: Performer<K>): Promise<void> {
    for (const { id } of await this.effects(kind))
      await performEffect(this.ctx, id, { [kind]: performer } as unknown as Performers)
  }

  /** What the log says of an event, oldest first. */
  async entries(event: string) {
    const rows = await tables(this.#db)
      .selectFrom('audit_entries')
      .select('entry')
      .where('workspace_id', '=', this.workspace.workspaceId)
      .where('event', '=', event)
      .orderBy('id')
      .execute()
    const stored = rows.map(({ entry }) => entry as Json<AuditEntry>)
    return (await revealEntries(this.#db, this.workspace.workspaceId, stored)).map((entry) =>
      JSON.parse(entry),
    )
  }
}

const hex = () => randomBytes(3).toString('hex')

/** An alert that fires, unless it is told otherwise. */
export const anAlert = (given: Partial<ReadAlert> = {}): ReadAlert => ({
  title: 'Checkout errors',
  status: 'firing',
  severity: 'critical',
  fingerprint: 'checkout-errors',
  service: null,
  environment: null,
  description: null,
  startedAt: null,
  endedAt: null,
  labels: {},
  links: [],
  severityGiven: true,
  occurredAt: null,
  updateOnly: false,
  isTest: false,
  cuts: [],
  senderId: null,
  ...given,
})
