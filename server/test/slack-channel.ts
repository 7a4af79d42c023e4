import { confirmLink } from '../domain/chat/link.ts'
import { addPlace } from '../domain/places/add.ts'
import { systemClock } from '../infra/clock.ts'
import { slackChat } from '../integrations/chat/slack.ts'
import { callerFor } from '../integrations/connections/call.ts'
import type { testApp } from './app.ts'
import { aConnection } from './connections.ts'
import { SlackDouble, type SlackMessage } from './doubles/slack.ts'
import { aMember, aTeam, aWorkspace } from './factories.ts'

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
