import { type Client, createClient } from '@signalbox/client'
import { type Account, currentAccount } from './accounts.ts'
import { CommandError } from './command-error.ts'

/** The REST API with the account's token. */
export function clientOf({ url, token }: Account): Client {
  if (token === null)
    throw new CommandError('This needs an API token. Sign in again with: signalbox login', 'notSignedIn')
  return createClient({ url, token, userAgent: 'signalbox-cli' })
}

export const connect = async (): Promise<Client> => clientOf(await currentAccount())
