import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceStart, DeviceState } from '@signalbox/contract/app/sign-in.ts'
import type { Asked } from '@signalbox/contract/command-line.ts'
import {
  type Account,
  serverAddress,
  storeAccount,
  storedAddress,
  tokenFromEnvironment,
} from '../accounts.ts'
import { appClientOf, askApp, posted, readMe } from '../app.ts'
import { CommandError } from '../command-error.ts'
import type { loginLine } from '../command-lines.ts'
import { readContext } from '../context.ts'
import { openBrowser } from '../terminal/browser.ts'
import { note, oneLine, print, printJson } from '../terminal/print.ts'

const usualAddress = 'http://127.0.0.1:4400'

export async function run({ values }: Asked<typeof loginLine>): Promise<void> {
  const given = values.url ?? (process.env.SIGNALBOX_URL || (await storedAddress()) || usualAddress)
  const url = serverAddress(given)
  const account = values['with-token'] ? await withToken(url) : await withBrowser(url, values.workspace)
  const { person, workspace } = await readContext(account)
  await storeAccount({ ...account, workspace: workspace.slug })
  const set = tokenFromEnvironment()
  if (set && set !== account.token)
    note(
      'SERVICE_API_KEY is set, so commands use that token and not this sign-in. Unset it to use this sign-in.',
    )
  if (values.json) return printJson({ url, workspace: workspace.slug, person: person.name })
  print(
    `Signed in to ${url} as ${oneLine(person.name)} (${person.role}), workspace ${oneLine(workspace.name)}`,
  )
}

async function withToken(url: string): Promise<Account> {
  const token = (await text(process.stdin)).trim()
  if (!/^tk_[0-9A-Za-z]{32}$/.test(token))
    throw new CommandError(
      'Standard input does not hold an API token. They begin with tk_ and have 35 characters.',
      'usage',
    )
  return { url, token, tokenId: null, workspace: null, session: null }
}

/** A session for what only the app can do, and a token for the rest, which the session creates. */
async function withBrowser(url: string, wanted: string | undefined): Promise<Account> {
  const session = await confirmedSession(url)
  const { workspaces } = await readMe(url, session)
  const workspace = wanted ?? workspaces[0]?.slug
  if (!workspace || !workspaces.some(({ slug }) => slug === workspace))
    throw new CommandError(
      workspace
        ? `You are not a member of a workspace "${workspace}".`
        : 'You are not a member of any workspace yet.',
      'notFound',
    )
  if (!wanted && workspaces.length > 1)
    note(`You are in several workspaces. Using ${workspace}; choose another with --workspace.`)
  const account = { url, token: null, tokenId: null, workspace, session }
  const { id, token } = await appClientOf(account).write('tokens.create', {
    name: `Command line on ${hostname()}`.slice(0, 60),
    permissions: ['read', 'write'],
    expires: '90d',
  })
  return { ...account, token, tokenId: id }
}

/** The cookie of a session, once a person has confirmed the code in a browser (RFC 8628). */
async function confirmedSession(url: string): Promise<string> {
  const start = (await (
    await askApp(url, null, `${url}/api/auth/device/code`, posted({}))
  ).json()) as DeviceStart
  const { device_code, user_code, verification_uri, verification_uri_complete } = start
  note(`Open ${verification_uri} and enter the code ${user_code}`)
  if (process.stderr.isTTY) openBrowser(verification_uri_complete)
  let seconds = start.interval
  for (;;) {
    await sleep(seconds * 1_000)
    const response = await askApp(url, null, `${url}/api/auth/device/token`, posted({ device_code }))
    const { signedIn, waiting } = (await response.json()) as DeviceState
    if (signedIn) return cookieOf(response)
    if (waiting === 'slow_down') seconds += 1
    else if (waiting !== 'authorization_pending') throw ended(waiting)
  }
}

const ended = (why: string | null) =>
  why === 'access_denied'
    ? new CommandError('The sign-in was denied in the browser.', 'forbidden')
    : new CommandError('The code has expired. Sign in again.', 'notSignedIn')

function cookieOf(response: Response): string {
  const [cookie] = response.headers.getSetCookie()
  if (!cookie) throw new CommandError('The server did not start a session.')
  return cookie.split(';', 1)[0]!
}
