import { ApiError, ConnectionError } from '@signalbox/client'
import type { Configuration } from '@signalbox/contract/manage/configuration.ts'
import type { Applied, Plan } from '@signalbox/contract/manage/plan.ts'
import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import { type Account, currentAccount } from './accounts.ts'
import { CommandError } from './command-error.ts'

/** The management API, for a token that may manage the configuration. */
export interface Manage {
  export(): Promise<Configuration>
  plan(asked: { configuration: unknown; prune: boolean }): Promise<Plan>
  apply(asked: { configuration: unknown; prune: boolean; fingerprint: string }): Promise<Applied>
  sources(): Promise<ManagedState[]>
  schema(): Promise<object>
}

export const connectManage = async (): Promise<Manage> => manageOf(await currentAccount())

function manageOf({ url, token }: Account): Manage {
  const get = (path: string) => ask(url, token, path)
  const post = (path: string, body: unknown) =>
    ask(url, token, path, { method: 'POST', body: JSON.stringify(body) })
  return {
    export: async () => (await get('configuration')) as Configuration,
    plan: async (asked) => (await post('plan', asked)) as Plan,
    apply: async (asked) => (await post('apply', asked)) as Applied,
    sources: async () => ((await get('sources')) as { data: ManagedState[] }).data,
    // Open to everyone.
    schema: async () => (await ask(url, token ?? '', 'schema.json')) as object,
  }
}

async function ask(url: string, token: string | null, path: string, init: RequestInit = {}) {
  if (token === null)
    throw new CommandError(
      'This needs an API token that may manage the configuration. Set SERVICE_API_KEY, or sign in with: signalbox login --with-token',
      'notSignedIn',
    )
  const { origin } = new URL(url)
  let response: Response
  try {
    response = await fetch(`${url}/manage/v1/${path}`, {
      ...init,
      // Another address would be given the token.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'user-agent': 'signalbox-cli',
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
  } catch (error) {
    throw new ConnectionError(`${origin} cannot be reached.`, { cause: error })
  }
  const body = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string }
  } | null
  if (response.ok && body) return body
  throw new ApiError({
    status: response.status,
    code: body?.error?.code ?? 'unknown',
    message:
      body?.error?.message ??
      `${origin} answered ${response.status}, but not as Signalbox would. Check the address.`,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: null,
  })
}
