import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { executors } from '@signalbox/contract/team.ts'
import type { Api } from '../gateway/apis.ts'

type Executor = (typeof executors)[number]

/** An account of the operator's at the maker of an agent, as the agent is given it for a turn. */
export interface SignIn {
  /** Where it was found, for people. */
  from: string
  /** When what the agent gets of it stops working; null: that is not known, or the agent renews it. */
  expiresAt: Date | null
  /** How the operator gets another one. */
  renewal: string
  environment: Record<string, string>
  /** Of the agent's home. */
  files: Record<string, string>
  secrets: string[]
  /** The only hosts that the agent reaches with it, with their ports. */
  hosts: readonly string[]
  /** Whose prices its own numbers are counted at. */
  api: Api
  /** What it is told to use where the operator names none; null: it says itself which it used. */
  model: string | null
}

/** Where sign-ins are looked for. */
export interface SignInPlace {
  /** The operator's. */
  home: string
  environment: Readonly<Record<string, string | undefined>>
}

type Found = Pick<SignIn, 'from' | 'environment' | 'files' | 'secrets'> & { expiresAt?: Date | null }

interface Kind extends Pick<SignIn, 'hosts' | 'api' | 'model' | 'renewal'> {
  find(place: SignInPlace): Found | null
}

/**
 * What renews a sign-in stays outside wherever the agent can do without it. It would be worth far more than one run,
 * and some makers end the operator's own session when a copy is used to renew.
 */
const kinds: Partial<Record<Executor, Kind>> = {
  claude_code: {
    ...{ hosts: ['api.anthropic.com:443'], api: 'anthropic', model: null },
    renewal:
      'Run claude once as the user of the runner, or set CLAUDE_CODE_OAUTH_TOKEN (claude setup-token).',
    find({ home, environment }) {
      const name = 'CLAUDE_CODE_OAUTH_TOKEN'
      const given = environment[name]
      if (given) return { from: name, environment: { [name]: given }, files: {}, secrets: [given] }
      const file = '.claude/.credentials.json'
      const { accessToken, expiresAt } = partOf(read(home, file), 'claudeAiOauth')
      if (typeof accessToken !== 'string') return null
      return {
        from: `~/${file}`,
        expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : null,
        ...{ environment: { [name]: accessToken }, files: {}, secrets: [accessToken] },
      }
    },
  },
  codex: {
    ...{ hosts: ['chatgpt.com:443'], api: 'openai', model: 'gpt-5.5' },
    renewal: 'Run codex once as the user of the runner.',
    find({ home }) {
      const file = '.codex/auth.json'
      const {
        id_token: idToken,
        access_token: accessToken,
        account_id: account,
      } = partOf(read(home, file), 'tokens')
      if (typeof accessToken !== 'string' || typeof idToken !== 'string') return null
      const tokens = { id_token: idToken, access_token: accessToken, refresh_token: '', account_id: account }
      // As if it were fresh: it would try to renew what it thinks is old.
      const kept = { OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() }
      return {
        from: `~/${file}`,
        expiresAt: expiryOf(accessToken),
        ...{ environment: {}, files: { [file]: JSON.stringify(kept) }, secrets: [accessToken, idToken] },
      }
    },
  },
  gemini: {
    hosts: ['cloudcode-pa.googleapis.com:443', 'oauth2.googleapis.com:443', 'www.googleapis.com:443'],
    ...{ api: 'google', model: 'gemini-2.5-pro' },
    renewal: 'Run gemini once as the user of the runner.',
    find({ home, environment }) {
      const file = '.gemini/oauth_creds.json'
      const found = read(home, file)
      const { access_token: access, refresh_token: refresh } = found
      if (typeof refresh !== 'string') return null
      const project = environment.GOOGLE_CLOUD_PROJECT
      return {
        from: `~/${file}`,
        environment: project ? { GOOGLE_CLOUD_PROJECT: project } : {},
        // What it gets lasts an hour at most: here the agent has to be able to renew it.
        files: { [file]: JSON.stringify(found) },
        secrets: [refresh, ...(typeof access === 'string' ? [access] : [])],
      }
    },
  },
}

/** Agents that can be used with a subscription. */
export const subscribable = Object.keys(kinds) as Executor[]

/** Null: no account is signed in here, or the agent has no sign-in. */
export function findSignIn(executor: Executor, place: SignInPlace): SignIn | null {
  const kind = kinds[executor]
  const found = kind?.find(place)
  if (!kind || !found) return null
  const { hosts, api, model, renewal } = kind
  return { ...{ hosts, api, model, renewal }, expiresAt: null, ...found }
}

export const isExpired = ({ expiresAt }: SignIn, now: Date) => expiresAt !== null && expiresAt <= now

type Fields = Record<string, unknown>

/** Empty where it is not there, or is nothing that we know. */
function read(home: string, file: string): Fields {
  try {
    return fieldsOf(JSON.parse(readFileSync(path.join(home, file), 'utf8')))
  } catch {
    return {}
  }
}

const partOf = (of: Fields, name: string): Fields => fieldsOf(of[name])

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Of a JSON web token. Its signature is not checked here: only its expiry is read. */
function expiryOf(token: string): Date | null {
  try {
    const { exp } = fieldsOf(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')))
    return typeof exp === 'number' ? new Date(exp * 1000) : null
  } catch {
    return null
  }
}
