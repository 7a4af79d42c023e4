import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { type ConnectionKind, slackScopes } from '@signalbox/contract/connection-kinds.ts'
import { Code, GitMerge, type LucideIcon, MessagesSquare, SquareCheckBig, Triangle } from 'lucide-react'

interface CredentialField {
  name: string
  label: string
  hint?: string
  /** What is no secret can be seen while it is typed. */
  isPlain?: boolean
  isLong?: boolean
  isOptional?: boolean
}

/** One way to sign in at a tool. */
export interface Way {
  method: ConnectionRow['method']
  name: string
  /** What to click over there, in order. */
  steps: string[]
  /** What the app over there is made from. */
  manifest?: string
  fields: CredentialField[]
}

export interface Tool {
  kind: ConnectionKind
  name: string
  icon: LucideIcon
  about: string
  /** Null: everyone uses the same address. */
  url: { label: string; hint: string; placeholder: string; isRequired: boolean } | null
  ways: Way[]
  /** How its webhook is created by hand. */
  hookSteps: string[]
  /** It makes the secret of a webhook that is created by hand; ours can’t be pasted there. */
  makesSecret?: true
}

const token = { name: 'token', label: 'Token', hint: 'Stored encrypted. You won’t see it again.' }

/**
 * Without addresses: with Socket Mode on, Slack calls none. The connection's page has them in case it is turned off.
 */
const slackManifest = JSON.stringify(
  {
    display_information: { name: 'Signalbox', description: 'Decisions and incidents of your AI teams' },
    features: {
      bot_user: { display_name: 'Signalbox', always_online: true },
      slash_commands: [{ command: '/signalbox', description: 'Decisions, teams and runs' }],
    },
    oauth_config: { scopes: { bot: slackScopes } },
    settings: {
      event_subscriptions: { bot_events: ['message.channels', 'message.groups'] },
      interactivity: { is_enabled: true },
      socket_mode_enabled: true,
    },
  },
  null,
  2,
)

export const tools: Tool[] = [
  {
    ...{ kind: 'github', name: 'GitHub', icon: Code },
    about: 'Issues, repositories and pull requests. GitHub.com or your own GitHub Enterprise.',
    url: {
      ...{ label: 'GitHub URL', placeholder: 'https://github.com', isRequired: false },
      hint: 'Leave it empty for GitHub.com. For GitHub Enterprise, the address you open in the browser.',
    },
    ways: [
      {
        ...{ method: 'token', name: 'Access token' },
        steps: [
          'Sign in to GitHub as the account that should open pull requests.',
          'Open Settings, Developer settings, Personal access tokens, Fine-grained tokens, and select Generate new token.',
          'Under Repository access, select the repositories that your teams work on.',
          'Under Permissions, set Contents, Issues, Pull requests, Commit statuses and Webhooks to Read and write.',
          'Generate the token and paste it here.',
        ],
        fields: [token],
      },
      {
        ...{ method: 'app', name: 'GitHub App' },
        steps: [
          'In your organization, open Settings, Developer settings, GitHub Apps, and select New GitHub App.',
          'Set Contents, Issues, Pull requests and Checks to Read and write, and subscribe to Issues, Pull request, Check run and Push.',
          'Create the app, note its App ID, and generate a private key.',
          'Select Install App and choose the repositories. The number at the end of the address is the installation ID.',
        ],
        fields: [
          { name: 'appId', label: 'App ID', isPlain: true },
          { name: 'installationId', label: 'Installation ID', isPlain: true },
          {
            ...{ name: 'privateKey', label: 'Private key', isLong: true },
            hint: 'The whole .pem file. Stored encrypted. You won’t see it again.',
          },
        ],
      },
    ],
    hookSteps: [
      'In the repository, open Settings, Webhooks, and select Add webhook.',
      'Paste the address as Payload URL, choose application/json, and paste the secret.',
      'Select the events Issues, Issue comments, Pull requests, Pull request reviews, Check runs, Statuses and Pushes.',
    ],
  },
  {
    ...{ kind: 'gitlab', name: 'GitLab', icon: GitMerge },
    about: 'Issues, repositories and merge requests. GitLab.com or self-managed.',
    url: {
      ...{ label: 'GitLab URL', placeholder: 'https://gitlab.com', isRequired: false },
      hint: 'Leave it empty for GitLab.com. For self-managed GitLab, the address you open in the browser.',
    },
    ways: [
      {
        ...{ method: 'token', name: 'Access token' },
        steps: [
          'In your group or project, open Settings, Access tokens, and select Add new token.',
          'Choose the role Developer or Maintainer. Maintainer lets us create the webhook for you.',
          'Select the scope api, create the token and paste it here.',
        ],
        fields: [token],
      },
    ],
    hookSteps: [
      'In the project, open Settings, Webhooks, and select Add new webhook.',
      'Paste the address as URL and the secret as Secret token or, from GitLab 19 on, as Signing token.',
      'Select Issues, Confidential issues, Comments, Merge requests, Pipelines and Push events.',
    ],
  },
  {
    ...{ kind: 'jira', name: 'Jira', icon: SquareCheckBig },
    about: 'Issues. Jira Cloud or Jira Data Center.',
    url: {
      ...{ label: 'Jira URL', placeholder: 'https://your-company.atlassian.net', isRequired: true },
      hint: 'The address you open in the browser.',
    },
    ways: [
      {
        ...{ method: 'basic', name: 'Jira Cloud' },
        steps: [
          'Sign in as the account that should write to issues.',
          'Open id.atlassian.com, Security, API tokens, and select Create API token.',
          'Paste the token here, with the email address of that account.',
        ],
        fields: [{ name: 'email', label: 'Email of the account', isPlain: true }, token],
      },
      {
        ...{ method: 'token', name: 'Jira Data Center' },
        steps: [
          'Sign in as the account that should write to issues.',
          'Open your profile, Personal Access Tokens, and select Create token.',
          'Paste the token here.',
        ],
        fields: [token],
      },
    ],
    hookSteps: [
      'As a Jira administrator, open System, WebHooks, and select Create a WebHook.',
      'Paste the address and the secret.',
      'Select the events created, updated and deleted for issues and for comments.',
    ],
  },
  {
    ...{ kind: 'linear', name: 'Linear', icon: Triangle },
    about: 'Issues of Linear teams.',
    url: null,
    ways: [
      {
        ...{ method: 'token', name: 'API key' },
        steps: [
          'Open Settings, Security & access, Personal API keys, and select New API key.',
          'Choose Full access, or Read and Write for the teams you want to use.',
          'Paste the key here.',
        ],
        fields: [{ ...token, label: 'API key' }],
      },
    ],
    hookSteps: [
      'As an admin, open Settings, API, and select New webhook.',
      'Paste the address and select Issues, Comments and Issue labels.',
      'Copy the signing secret that Linear shows, open this connection’s page here, and paste it under Replace secret.',
    ],
    makesSecret: true,
  },
  {
    ...{ kind: 'slack', name: 'Slack', icon: MessagesSquare },
    about: 'Answer decisions and follow incidents in channels.',
    url: null,
    ways: [
      {
        ...{ method: 'bot', name: 'Slack app' },
        steps: [
          'Open api.slack.com/apps, select Create New App, From a manifest, choose your workspace, and paste the manifest below.',
          'Under Basic Information, App-Level Tokens, generate a token with the scope connections:write. It lets Slack reach this server without a public address.',
          'Under Install App, install it and copy the Bot User OAuth Token.',
          'Under Basic Information, copy the Signing Secret.',
        ],
        manifest: slackManifest,
        fields: [
          { ...token, name: 'botToken', label: 'Bot token' },
          { ...token, name: 'signingSecret', label: 'Signing secret' },
          {
            ...{ name: 'appToken', label: 'App-level token', isOptional: true },
            hint: 'Needed unless Slack can reach this server from the internet. Stored encrypted.',
          },
        ],
      },
    ],
    hookSteps: [],
  },
]

export const toolOf = (kind: ConnectionKind): Tool => tools.find((tool) => tool.kind === kind)!
