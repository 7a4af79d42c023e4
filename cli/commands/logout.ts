import type { Asked } from '@signalbox/contract/command-line.ts'
import { currentAccount, removeAccount } from '../accounts.ts'
import type { logoutLine } from '../command-lines.ts'
import { print, printJson } from '../terminal/print.ts'

export async function run({ values }: Asked<typeof logoutLine>): Promise<void> {
  const { url } = await currentAccount()
  await removeAccount(url)
  if (values.json) return printJson({ signedOut: url })
  print(`Signed out of ${url}`)
}
