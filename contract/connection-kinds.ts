/** Tools that a workspace can have an account at. No schema here: the app takes these values too. */
export const connectionKinds = ['github', 'gitlab', 'jira', 'linear', 'slack'] as const
export type ConnectionKind = (typeof connectionKinds)[number]

/** As their makers write them. */
export const toolNames: Record<ConnectionKind, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  jira: 'Jira',
  linear: 'Linear',
  slack: 'Slack',
}

/** Where stories can come from, and where code can be. */
export const trackerKinds = ['github', 'gitlab', 'jira', 'linear'] as const
export const codeKinds = ['github', 'gitlab'] as const
export type CodeKind = (typeof codeKinds)[number]

/** What Slack calls what we do there: the app's manifest asks for these, and the test looks for them. */
export const slackScopes = [
  ...['chat:write', 'commands', 'users:read', 'users:read.email'],
  ...['channels:read', 'groups:read', 'channels:history', 'groups:history'],
  ...['im:write', 'im:history'],
]
