import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import { Webhook } from 'standardwebhooks'
import { addEndpoint, type NewEndpoint } from '../../domain/tools/webhooks/add.ts'
import { webhooksFace } from '../../faces/worker/webhooks.ts'
import type { Db } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { createLog } from '../../infra/log.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { type HttpWebhooksOptions, httpWebhooks } from '../../integrations/webhooks/http.ts'
import { TestClock } from '../clock.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { type Asked, httpHost } from '../hosts/http-host.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'

export const secrets = secretsFrom('a key for tests that nobody else has')
export const allTypes = Object.keys(webhookEvents)

/** A workspace that sends webhooks, by a worker that looks when the test says so and on a clock that it moves. */
export async function sendsWebhooks(t: TestContext, db: Db, options: Partial<HttpWebhooksOptions> = {}) {
  const clock = new TestClock(new Date().toISOString())
  const workspace = await aWorkspace(db, clock)
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const sender = httpWebhooks({ allow: ['127.0.0.1'], ...options })
  const calling = { sender, secrets, publicUrl: () => 'https://signalbox.example.com' }
  const log: string[] = []
  const face = webhooksFace({
    ...{ db, clock, calling, queue: owner.queue, node: newId(new Date()) },
    log: createLog({ level: 'trace', to: { write: (line) => void log.push(line) } }),
  })
  t.after(() => face.stop())
  const add = (url: string, more: Partial<NewEndpoint> = {}) =>
    addEndpoint(owner, { secrets, sender }, { url, description: '', events: allTypes, teams: null, ...more })
  const messages = (endpoint: string) =>
    tables(db)
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpoint)
      .orderBy('event_id')
      .execute()
  /** Looks until nothing is due any more. */
  const sendAll = async () => {
    await until('everything that is due was sent', async () => {
      await face.look()
      const due = await tables(db)
        .selectFrom('webhook_deliveries as d')
        .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
        .select('d.event_id')
        .where('d.workspace_id', '=', workspace.workspaceId)
        .where('e.state', '=', 'active')
        .where('d.due_at', '<=', clock.now())
        .where((eb) => eb.or([eb('e.not_before', 'is', null), eb('e.not_before', '<=', clock.now())]))
        .execute()
      return due.length === 0
    })
  }
  return { clock, workspace, owner, team, calling, sender, face, log, add, messages, sendAll }
}

/** A receiver as its customer would write it: it takes what the library verifies, and answers what the test says. */
export async function receiver(
  t: TestContext,
  answer: (asked: Asked, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(204).end(),
) {
  const host = await httpHost(t, answer)
  return {
    ...host,
    /** What came, as the library reads it with this secret. */
    verified: (secret: string) =>
      host.asked.map(({ body, headers }) => ({
        id: String(headers['webhook-id']),
        message: new Webhook(secret).verify(body, headers as Record<string, string>) as {
          type: string
          data: Record<string, unknown>
        },
      })),
  }
}
