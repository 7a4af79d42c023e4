import type { Held } from './compile.ts'

/** What Slack publishes about the methods of its Web API, as its own client has it. */

/** By method: what its arguments and its answer are called there. */
const methods: Record<string, string> = {
  'apps.connections.open': 'AppsConnectionsOpen',
  'auth.test': 'AuthTest',
  'chat.postEphemeral': 'ChatPostEphemeral',
  'chat.postMessage': 'ChatPostMessage',
  'chat.update': 'ChatUpdate',
  'conversations.history': 'ConversationsHistory',
  'conversations.info': 'ConversationsInfo',
  'conversations.open': 'ConversationsOpen',
  'conversations.replies': 'ConversationsReplies',
  'users.info': 'UsersInfo',
}

// A query has only words, also for what is a number.
export const slackPreamble = `import type * as Slack from '@slack/web-api'
type OrInWords<T> = T extends number ? T | \`\${T}\` : T
type SlackQuery<T> = { [K in keyof T]: K extends 'limit' ? OrInWords<T[K]> : T[K] }`

export function heldOfSlack(method: string, given: Record<string, unknown>, answer: unknown): Held[] {
  const name = methods[method]
  if (!name) return [{ what: `Slack ${method} is not known`, type: 'never', value: null }]
  const isRead = /^(?:conversations|users)\.(?!open$)/.test(method)
  const type = isRead ? `SlackQuery<Slack.${name}Arguments>` : `Slack.${name}Arguments`
  return [
    { what: `Slack ${method} arguments`, type, value: given },
    { what: `Slack ${method} answer`, type: `Slack.${name}Response`, value: answer },
  ]
}
