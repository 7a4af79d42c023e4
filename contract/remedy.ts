/**
 * What an operator can set so that something is no longer refused. A refusal ends with the sentence of its remedy: that
 * is all that an email, a chat, git and a stored error can carry. Whatever shows one reads the remedy from it again.
 */
interface Described {
  /** Who can set it: the server is set by its environment, a runner by its options. */
  of: 'server' | 'runner'
  /** For people who cannot. `{}` is what was refused, such as a host. */
  asks: string
  /** What is added to the list that is set: `{}`, unless it says otherwise. */
  adds?: string
  /** The whole line, where it is no list; `{2}` is twice the number that was refused. */
  line?: string
  /** The page of the manual that explains it. */
  page: string
}

const allowing = (what: string): Described => ({
  of: 'server',
  asks: `Ask the server operator to allow {} for ${what}.`,
  page: 'configuration',
})

export const remedies = {
  GIT_ALLOW: allowing('repositories'),
  CONNECTION_ALLOW: allowing('connections'),
  WEBHOOK_ALLOW: allowing('webhooks'),
  UPTIME_ALLOW: allowing('uptime checks'),
  PUSH_ALLOW: allowing('push notifications'),
  SMTP_URL: {
    of: 'server',
    asks: 'Ask the server operator to connect a mail server.',
    line: "SMTP_URL=smtp://user:password@mail.example.com:587 MAIL_FROM='Signalbox <signalbox@example.com>'",
    page: 'configuration',
  },
  OIDC_ISSUER: {
    of: 'server',
    asks: 'Ask the server operator to connect an identity provider.',
    line: 'OIDC_ISSUER=https://login.example.com OIDC_CLIENT_ID=signalbox OIDC_CLIENT_SECRET=…',
    page: 'configuration',
  },
  MANAGEMENT_API: {
    of: 'server',
    asks: 'Ask the server operator to turn on the management API.',
    line: 'MANAGEMENT_API=on',
    page: 'configuration',
  },
  SPLITTER_URL: {
    of: 'server',
    asks: 'Ask the server operator to connect a language model.',
    line: 'SPLITTER_URL=https://api.openai.com/v1 SPLITTER_MODEL=gpt-5.5 SPLITTER_KEY=sk-…',
    page: 'configuration',
  },
  RUNNERS_PER_TOKEN: {
    of: 'server',
    asks: 'Ask the server operator to allow more than {} runners per token.',
    line: 'RUNNERS_PER_TOKEN={2}',
    page: 'configuration',
  },
  RUNNERS_PER_WORKSPACE: {
    of: 'server',
    asks: 'Ask the server operator to allow more than {} runners per workspace.',
    line: 'RUNNERS_PER_WORKSPACE={2}',
    page: 'configuration',
  },
  WORKSPACE_FILES_GB: {
    of: 'server',
    asks: 'Ask the server operator to allow more than {} GB of files per workspace.',
    line: 'WORKSPACE_FILES_GB={2}',
    page: 'configuration',
  },
  EXCHANGE_RATES: {
    of: 'server',
    asks: 'Ask the server operator to add an exchange rate for {}.',
    adds: '{}=0.90',
    page: 'configuration',
  },
  '--git-folders': {
    of: 'runner',
    asks: 'Ask the person who runs the runner to allow the folder {} for repositories.',
    page: 'runner',
  },
  '--image-registries': {
    of: 'runner',
    asks: 'Ask the person who runs the runner to allow {} for images.',
    page: 'runner',
  },
  '--quota-gb': {
    of: 'runner',
    asks: 'Ask the person who runs the runner to allow more than {} GB on its disk.',
    line: '--quota-gb {2}',
    page: 'runner',
  },
} as const satisfies Record<string, Described>

export type RemedySetting = keyof typeof remedies

/** How a refusal ends that a setting can mend; `what` was refused, such as a host or a folder. */
export const asksFor = (setting: RemedySetting, what: string | number = ''): string =>
  remedies[setting].asks.replace('{}', String(what))

export interface Remedy {
  setting: RemedySetting
  of: Described['of']
  /** What was refused, such as a host; empty: nothing in particular. */
  what: string
  /** For people who cannot set it, as it is written in the refusal. */
  asks: string
  /** To be pasted by an operator, with what is set today. */
  line: string
  /** Where the manual explains it. */
  doc: string
}

/** What is set today, for those who can change it; lists only, never a secret. */
export type CurrentSettings = Partial<Record<RemedySetting, string>>

/** The remedy that a refusal ends with; null: no setting helps. */
export function remedyIn(refusal: string, today: CurrentSettings = {}): Remedy | null {
  for (const [name, described] of Object.entries(remedies) as [RemedySetting, Described][]) {
    const [before, after] = described.asks.split('{}') as [string, string?]
    const at = refusal.indexOf(before)
    if (at < 0) continue
    const from = at + before.length
    const to = after === undefined ? from : refusal.indexOf(after, from)
    if (to < 0) continue
    const asks = refusal.slice(at, to + (after?.length ?? 0))
    const what = refusal.slice(from, to)
    const line = lineOf(name, described, what, today[name])
    return { setting: name, of: described.of, what, asks, line, doc: `/docs/${described.page}#${name}` }
  }
  return null
}

function lineOf(setting: string, { of, line, adds = '{}' }: Described, what: string, today = ''): string {
  if (line !== undefined) return line.replace('{2}', String(Number(what) * 2))
  const added = adds.replace('{}', what)
  const listed = [...today.split(',').filter((one) => one !== '' && one !== added), added].join(',')
  const value = /^[\w.,:/@%+=-]*$/.test(listed) ? listed : `'${listed.replaceAll("'", `'\\''`)}'`
  return of === 'server' ? `${setting}=${value}` : `${setting} ${value}`
}
