import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import type { Storage } from '../server/app/storage.ts'
import { changeSource } from '../server/domain/on-call/sources/change.ts'
import { addEndpoint } from '../server/domain/tools/webhooks/add.ts'
import { changeEndpoint } from '../server/domain/tools/webhooks/change.ts'
import { listEndpoints } from '../server/domain/tools/webhooks/list.ts'
import { sendTest } from '../server/domain/tools/webhooks/send-test.ts'
import { systemClock } from '../server/infra/clock.ts'
import { httpWebhooks } from '../server/integrations/webhooks/http.ts'
import { tables } from '../server/test/tables.ts'
import { pageCheck } from './halden-parcels/alerts.ts'
import { owner } from './halden-parcels/people.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { acting, asOperator } from './load/acting.ts'

/** As it is labelled in the app; the next start finds it by that. */
const description = 'Demo receiver (part of this demo)'

export interface Receiver {
  /** What the server has to allow: this port of this machine, and nothing else. */
  allow: string
  /** Tells the demo's uptime check where its page is now. */
  showPage(storage: Pick<Storage, 'db' | 'secrets'>): Promise<void>
  /** Makes it an endpoint of the workspace, or tells its endpoint where it is now. */
  register(storage: Pick<Storage, 'db' | 'secrets'>, publicUrl: string): Promise<void>
  stop(): void
}

/** Receives the webhooks of the demo, so that there is an endpoint to look at whose messages really arrive, and has the page of its uptime check. */
export async function startReceiver(): Promise<Receiver> {
  let refusesNextTest = false
  const server = createServer(async (request, response) => {
    // What happens in the demo is sent here as well, and may come first.
    const refuses = (await isTest(request)) && refusesNextTest
    if (refuses) refusesNextTest = false
    response
      .writeHead(refuses ? 500 : 200, { 'content-type': 'text/plain' })
      .end(refuses ? 'The demo receiver refuses its first message, so you can resend one.' : 'Received.')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  // Alone it keeps no process running.
  server.unref()
  const allow = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${allow}/webhooks`
  const sender = httpWebhooks({ allow: [allow] })
  return {
    allow,
    async showPage({ db, secrets }) {
      const ctx = await acting(db, systemClock, haldenParcels.slug, owner.email)
      const check = await tables(db)
        .selectFrom('sources')
        .select(['id', 'settings'])
        .where('workspace_id', '=', ctx.workspaceId)
        .where('name', '=', pageCheck.name)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      // A folder from before has none, and a visitor may have deleted it.
      if (check)
        await changeSource(asOperator(ctx), secrets, check.id, {
          settings: { ...(check.settings as object), url: `http://${allow}/track` },
        })
    },
    async register({ db, secrets }, publicUrl) {
      const ctx = await acting(db, systemClock, haldenParcels.slug, owner.email)
      const known = (await listEndpoints(ctx)).find((one) => one.description === description)
      if (known) return changeEndpoint(asOperator(ctx), { sender }, known.id, { url })
      const events = Object.keys(webhookEvents)
      const { id } = await addEndpoint(ctx, { secrets, sender }, { url, description, events, teams: null })
      refusesNextTest = true
      const calling = { sender, secrets, publicUrl: () => publicUrl }
      await sendTest(ctx, calling, id)
      await sendTest(ctx, calling, id)
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const isTest = async (request: IncomingMessage): Promise<boolean> => {
  const body = await text(request).catch(() => '')
  return body.includes('"endpoint.test"')
}
