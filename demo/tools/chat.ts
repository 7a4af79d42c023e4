import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { App } from '../../server/app/app.ts'
import { DomainError } from '../../server/domain/errors.ts'
import { housekeeping } from '../../server/domain/record/audit/change.ts'
import { connect } from '../../server/domain/tools/connections/connect.ts'
import { disconnect } from '../../server/domain/tools/connections/disconnect.ts'
import { confirmLink, offerLink } from '../../server/domain/work/chat/link.ts'
import { readChatSettings } from '../../server/domain/work/chat/settings.ts'
import { showInChat } from '../../server/domain/work/chat/show-decision.ts'
import { listDecisions } from '../../server/domain/work/decisions/list.ts'
import { addPlace } from '../../server/domain/work/places/add.ts'
import { listChannels } from '../../server/domain/work/places/list-channels.ts'
import { removePlace } from '../../server/domain/work/places/remove.ts'
import { readTeam } from '../../server/domain/work/teams/read.ts'
import { systemClock } from '../../server/infra/clock.ts'
import { slackChat } from '../../server/integrations/chat/slack.ts'
import { callerFor } from '../../server/integrations/connections/call.ts'
import { connectorsWith } from '../../server/integrations/connections/connectors.ts'
import { SlackDouble } from '../../server/test/doubles/slack.ts'
import { serveSlackPage } from '../../server/test/doubles/slack-page.ts'
import { owner, people } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { type Acting, acting, asOperator } from '../load/acting.ts'
import type { DemoTool, Later } from './tool.ts'

export interface DemoChat extends DemoTool {
  /** Done or failed with a message; stopping the server waits for it. */
  connected: Promise<void>
}

/** Which teams talk in which channels. */
const channels = [
  { id: 'C0CHECKOUT', name: 'checkout', teams: ['checkout-web', 'partner-portal'] },
  { id: 'C0ROUTES00', name: 'routes', teams: ['route-planning'] },
  { id: 'C0LOCKERS0', name: 'lockers', teams: ['locker-firmware', 'label-tools'] },
]

const loopback = ['127.0.0.1']
const call = callerFor({ allow: loopback, clock: systemClock })
const chat = slackChat(call, systemClock, loopback)

/**
 * A chat tool beside the demo: the double of Slack, connected over signed HTTP like the real one, with a page on which
 * people press its buttons, which is there when this returns. The rest happens in the background: its address and its
 * messages are new at each start, so it is connected again each time.
 */
export async function startChat(app: App, { dataDir }: { dataDir: string }, later: Later): Promise<DemoChat> {
  const slack = await SlackDouble.start()
  slack.team = 'Halden Parcels (demo)'
  for (const { id, name } of channels) slack.addChannel(id, name)
  people.forEach(({ name, email }, index) => {
    slack.addUser({ id: `U${index + 1}`, name, email })
  })
  slack.addUser({ id: 'U99', name: 'Someone without an account', email: 'guest@example.com' })
  const connected = later(
    'connect the chat',
    async () => {
      // What an attempt before this one has left.
      await leaveChat(app.storage, dataDir)
      await connectChat(app, slack, dataDir)
    },
    'The chat of the demo is not connected.',
  )
  return { urls: { chat: serveSlackPage(slack) }, connected, stop: () => slack.stop() }
}

async function connectChat(app: App, slack: SlackDouble, dataDir: string): Promise<void> {
  const { db, secrets } = app.storage
  const as = (email: string) => acting(db, systemClock, haldenParcels.slug, email)
  const ctx = await as(owner.email)
  const { botToken, signingSecret } = slack
  const { id } = await connect(
    ctx,
    { connectors: connectorsWith(call), secrets },
    {
      ...{ kind: 'slack', name: 'Demo chat', baseUrl: slack.url },
      credentials: { botToken, signingSecret },
    },
  )
  await writeFile(fileIn(dataDir), JSON.stringify({ id }))
  const { requestUrl } = await readChatSettings(ctx, { secrets, publicUrl: () => app.url }, id)
  slack.requestUrl = requestUrl!
  for (const [index, { email, name }] of people.entries()) {
    const person = await as(email)
    const code = await offerLink(person, { id, workspaceId: ctx.workspaceId }, { id: `U${index + 1}`, name })
    await confirmLink(person, code)
  }
  for (const channel of channels)
    for (const team of channel.teams)
      await addPlace(ctx, { chat, secrets }, { team, connection: id, link: channel.id })
  await showPending(ctx)
}

const fileIn = (dataDir: string) => path.join(dataDir, 'demo-chat.json')

/** What the last start connected leads nowhere. Done before the server starts, which would go on writing there. */
export async function leaveChat({ db }: Pick<App['storage'], 'db'>, dataDir: string): Promise<void> {
  const { id } = JSON.parse(await readFile(fileIn(dataDir), 'utf8').catch(() => '{}')) as { id?: string }
  if (!id) return
  const ctx = asOperator(await acting(db, systemClock, haldenParcels.slug, owner.email))
  for (const team of channels.flatMap(({ teams }) => teams))
    for (const channel of (await unlessGone(listChannels(ctx, team))) ?? [])
      if (channel.connection === id) await removePlace(ctx, team, channel.id)
  await unlessGone(disconnect(ctx, id))
  await rm(fileIn(dataDir))
}

/** People may have disconnected the chat or deleted a team themselves: that is no reason not to start. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DomainError && error.code.endsWith('not_found')) return undefined
    throw error
  }
}

/** The decisions that wait already, so that the channels are not empty. */
async function showPending(ctx: Acting): Promise<void> {
  const { data } = await listDecisions(ctx, { status: 'pending' }, { limit: 100, after: null })
  const shown = new Set(channels.flatMap(({ teams }) => teams))
  for (const { key, team } of data.map((json) => fromJson(json)).toReversed()) {
    if (!team || !shown.has(team)) continue
    const { id } = fromJson(await readTeam(ctx, team))
    await housekeeping(ctx.db, 'show the decisions of the demo in its chat', (tx) =>
      showInChat(ctx, tx, key, id),
    )
  }
}
