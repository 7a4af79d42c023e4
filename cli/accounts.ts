import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { withSecretFiles } from '@signalbox/contract/secret-files.ts'
import { CommandError } from './command-error.ts'

/** Where someone is signed in, and as what. */
export interface Account {
  /** Of the server, without a slash at its end. */
  url: string
  /** For the REST API and MCP. */
  token: string | null
  /** Of a token that `login` has created, so that `logout` can revoke it. */
  tokenId: string | null
  /** The slug of the token's workspace; null where it is not known. */
  workspace: string | null
  /** The cookie of a session, for what only the app can do. */
  session: string | null
}

interface Stored {
  current: string | null
  accounts: Record<string, Omit<Account, 'url'>>
}

const { env } = process
const nothing: Stored = { current: null, accounts: {} }

/** In the folder where programs of this account keep their settings. */
const file = () =>
  path.join(
    env.XDG_CONFIG_HOME ||
      (process.platform === 'win32' && env.APPDATA ? env.APPDATA : path.join(homedir(), '.config')),
    'signalbox',
    'accounts.json',
  )

/**
 * The account to use: SIGNALBOX_URL and SERVICE_API_KEY (or SERVICE_API_KEY_FILE) where they are set, otherwise what `login` has stored. A token
 * from the environment may be of another workspace than the stored one, so nothing else of that is used with it.
 */
export async function currentAccount(): Promise<Account> {
  const { current, accounts } = await readStored()
  const url = env.SIGNALBOX_URL ? serverAddress(env.SIGNALBOX_URL) : current
  if (url === null)
    throw new CommandError('You are not signed in. Sign in with: signalbox login --url URL', 'notSignedIn')
  const stored = accounts[url]
  const token = tokenFromEnvironment()
  if (token && token !== stored?.token) return { url, token, tokenId: null, workspace: null, session: null }
  if (!stored)
    throw new CommandError(
      `You are not signed in to ${url}. Sign in with: signalbox login --url ${url}`,
      'notSignedIn',
    )
  return { url, ...stored }
}

/** A token that takes the place of what `login` has stored. */
export function tokenFromEnvironment(): string | undefined {
  const mistakes: string[] = []
  const { SERVICE_API_KEY } = withSecretFiles(env, ['SERVICE_API_KEY'], mistakes)
  if (mistakes.length > 0) throw new CommandError(mistakes.join('\n'), 'usage')
  return SERVICE_API_KEY
}

/** The server that someone signed in to last. */
export const storedAddress = async (): Promise<string | null> => (await readStored()).current

/** Stores the account, as the one to use from now on. */
export async function storeAccount({ url, ...account }: Account): Promise<void> {
  const { accounts } = await readStored()
  await writeStored({ current: url, accounts: { ...accounts, [url]: account } })
}

/** Forgets the account. */
export async function removeAccount(url: string): Promise<void> {
  const { current, accounts } = await readStored()
  const { [url]: _, ...others } = accounts
  await writeStored({
    current: current === url ? (Object.keys(others)[0] ?? null) : current,
    accounts: others,
  })
}

/** An address as it is stored: what comes after the host stays, a slash at the end does not. */
export function serverAddress(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new CommandError(
      `"${given}" is not the address of a server, such as https://signalbox.example.com.`,
      'usage',
    )
  const { origin, pathname } = new URL(given)
  return `${origin}${pathname}`.replace(/\/$/, '')
}

async function readStored(): Promise<Stored> {
  const text = await readFile(file(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new CommandError(`${file()} cannot be read: ${error.code}.`)
  })
  try {
    return text === null ? nothing : { ...nothing, ...JSON.parse(text) }
  } catch {
    throw new CommandError(`${file()} is not JSON. Delete it and sign in again.`)
  }
}

/** Written beside it and then moved there, so that no half of it is ever read; readable by this account alone. */
async function writeStored(stored: Stored): Promise<void> {
  const place = file()
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
  const fresh = `${place}.${process.pid}`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(stored, null, 2)}\n`)
  } finally {
    await handle.close()
  }
  await rename(fresh, place)
}
