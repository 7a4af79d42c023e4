import { postIncident } from '../../domain/on-call/incidents/post-incident.ts'
import { change } from '../../domain/record/audit/change.ts'
import { type Performers, performEffect } from '../../domain/record/outbox/perform.ts'
import { confirmLink } from '../../domain/work/chat/link.ts'
import { showDecision, showInChat } from '../../domain/work/chat/show-decision.ts'
import { addPlace } from '../../domain/work/places/add.ts'
import { systemClock } from '../../infra/clock.ts'
import { slackChat } from '../../integrations/chat/slack.ts'
import { callerFor } from '../../integrations/connections/call.ts'
import type { testApp } from '../app.ts'
import { SlackDouble, type SlackMessage } from '../doubles/slack.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'
import { aConnection } from './connections.ts'

type App = Pick<Awaited<ReturnType<typeof testApp>>, 'storage' | 'url'>

/** For a server with CONNECTION_ALLOW: '127.0.0.1'. */
export const slackOnLoopback = slackChat(
  callerFor({ allow: ['127.0.0.1'], clock: systemClock }),
  systemClock,
  ['127.0.0.1'],
)

export const theChannel = 'C0000001'

/** A workspace with a channel in which its team's decisions are shown, and people on both sides. */
export async function aSlackChannel(app: App, { isSocket = false } = {}) {
  const slack = await SlackDouble.start()
  slack.addChannel(theChannel, 'checkout')
  slack.addUser({ id: 'U1', name: 'ann', email: 'ann@example.com' })
  slack.addUser({ id: 'U2', name: 'ben', email: 'ben@example.com' })
  const workspace = await aWorkspace(app.storage.db)
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const { secrets } = app.storage
  const { botToken, signingSecret, appToken } = slack
  const credentials = { botToken, signingSecret, ...(isSocket ? { appToken } : {}) }
  const connection = await aConnection(owner, secrets, {
    ...{ kind: 'slack', method: 'bot', baseUrl: slack.url, credentials },
  })
  slack.requestUrl = `${app.url}/slack/${connection.hookToken}`
  const place = await addPlace(
    owner,
    { chat: slackOnLoopback, secrets },
    {
      ...{ team: team.slug, connection: connection.id },
      link: `https://acme.slack.com/archives/${theChannel}`,
    },
  )
  return { slack, workspace, owner, team, connection, place }
}

export type SlackChannel = Awaited<ReturnType<typeof aSlackChannel>>

/** Does what is due of the messages, as the worker would, until everything is shown. */
export async function showAll({ storage, url }: App, { owner }: Pick<SlackChannel, 'owner'>): Promise<void> {
  const { db, secrets } = storage
  const publicUrl = () => url
  const performers = {
    show_decision: showDecision(slackOnLoopback, null, { secrets, publicUrl }),
    post_incident: postIncident(slackOnLoopback, { publicUrl }, { secrets }),
  } as unknown as Performers
  await until('everything is shown', async () => {
    const due = await tables(db)
      .selectFrom('effects')
      .select('id')
      .where('workspace_id', '=', owner.workspaceId)
      .where('kind', 'in', Object.keys(performers))
      .where('done_at', 'is', null)
      .execute()
    for (const { id } of due) await performEffect(owner, id, performers).catch(() => {})
    return due.length === 0
  })
}

/** A decision of the channel's team, with its message there. */
export async function aShownDecision(app: App, channel: Pick<SlackChannel, 'slack' | 'owner' | 'team'>) {
  const { slack, owner, team } = channel
  const story = await aStory(owner, team)
  const run = await aRun(owner, team, story)
  const { key } = await aDecision(owner, team, { storyId: story.id, run })
  await change(owner, async (tx) => {
    await showInChat(owner, tx, key, team.id)
    return { value: undefined, audit: [] }
  })
  await showAll(app, channel)
  return { key, run, story, message: slack.parent(theChannel)! }
}

/** A new member, who says on the page of the one-time link that this user of Slack is them. */
export async function linkSlackUser(
  { slack, workspace }: Pick<SlackChannel, 'slack' | 'workspace'>,
  user: string,
  role: 'owner' | 'admin' | 'member' = 'member',
) {
  const person = await aMember(workspace, role)
  const said = (await (await slack.command('link', user, theChannel)).json()) as { text: string }
  const [, code] = /\/link-chat\/([\w-]+)/.exec(said.text) ?? []
  await confirmLink(person, code!)
  return person
}

export const buttonsOf = ({ blocks }: SlackMessage) =>
  blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))

export const textOf = ({ blocks }: SlackMessage) => blocks.map((block) => block.text?.text ?? '').join('\n')
