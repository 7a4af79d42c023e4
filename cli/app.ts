import { ApiError, ConnectionError } from '@signalbox/client'
import type { PersonalReads, ReadInputs, ReadResponses, Writes } from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { type Account, tokenFromEnvironment } from './accounts.ts'
import { CommandError } from './command-error.ts'

/** What only the app can do, for a person who has signed in with the browser. */
export interface App {
  read<N extends keyof ReadInputs & string>(name: N, input: ReadInputs[N]): Promise<ReadResponses[N]>
  write<N extends keyof Writes & string>(name: N, input: InputOf<Writes[N]>): Promise<ResponseOf<Writes[N]>>
  /** What is sent piece by piece. */
  stream(path: string, signal?: AbortSignal): Promise<Response>
}

export function appClientOf({ url, session, workspace }: Account): App {
  if (session === null || workspace === null)
    throw new CommandError(
      `This needs a sign-in with the browser. ${tokenFromEnvironment() ? 'SERVICE_API_KEY takes its place: unset it, then sign' : 'Sign'} in with: signalbox login --url ${url}`,
      'notSignedIn',
    )
  const base = `${url}/api/w/${workspace}`
  const ask = (path: string, init: RequestInit = {}) => askApp(url, session, `${base}/${path}`, init)
  return {
    async read(name, input) {
      const query = new URLSearchParams(
        Object.entries(input as Record<string, unknown>)
          .filter(([, value]) => value !== undefined)
          .map(([key, value]) => [key, String(value)] as [string, string]),
      )
      return (await ask(`${name}?${query}`)).json() as never
    },
    write: async (name, input) => (await ask(name, posted(input))).json() as never,
    stream: (path, signal) => ask(path, signal ? { signal } : {}),
  }
}

/** Who is signed in with this session, and where they may go. */
export async function readMe(url: string, session: string): Promise<ResponseOf<PersonalReads['me']>> {
  return (await askApp(url, session, `${url}/api/me`)).json() as never
}

export const posted = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The app answers its own pages only: a request says that it comes from where it goes to. */
export async function askApp(
  url: string,
  session: string | null,
  address: string,
  init: RequestInit = {},
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, {
      ...init,
      redirect: 'error',
      headers: {
        ...(init.headers as Record<string, string>),
        origin: new URL(url).origin,
        'user-agent': 'signalbox-cli',
        ...(session === null ? {} : { cookie: session }),
      },
    })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ConnectionError(`${new URL(url).origin} cannot be reached.`, { cause: error })
  }
  if (response.ok) return response
  const body = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string }
  } | null
  throw new ApiError({
    status: response.status,
    code: body?.error?.code ?? 'unknown',
    message: body?.error?.message ?? `${new URL(url).origin} answered ${response.status}.`,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: null,
  })
}
