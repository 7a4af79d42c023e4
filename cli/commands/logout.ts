import { ApiError } from '@signalbox/client'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { type Account, currentAccount, removeAccount } from '../accounts.ts'
import { appClientOf, askApp, posted } from '../app.ts'
import type { logoutLine } from '../command-lines.ts'
import { print, printJson } from '../terminal/print.ts'

export async function run({ values }: Asked<typeof logoutLine>): Promise<void> {
  const account = await currentAccount()
  await endSession(account)
  await removeAccount(account.url)
  if (values.json) return printJson({ signedOut: account.url })
  print(`Signed out of ${account.url}`)
}

/** Takes back what `login` was given. A session that has ended by now can revoke nothing, and its token expires. */
async function endSession(account: Account): Promise<void> {
  const { url, session, tokenId } = account
  if (session === null) return
  try {
    if (tokenId) await appClientOf(account).write('tokens.revoke', { id: tokenId })
    await askApp(url, session, `${url}/api/auth/sign-out`, posted({}))
  } catch (error) {
    if (!(error instanceof ApiError && [401, 404].includes(error.status))) throw error
  }
}
