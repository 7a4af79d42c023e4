import { text } from 'node:stream/consumers'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { type Account, serverAddress, storeAccount, storedAddress } from '../accounts.ts'
import { CommandError } from '../command-error.ts'
import type { loginLine } from '../command-lines.ts'
import { readContext } from '../context.ts'
import { oneLine, print, printJson } from '../terminal/print.ts'

const usualAddress = 'http://127.0.0.1:4400'

export async function run({ values }: Asked<typeof loginLine>): Promise<void> {
  const given = values.url ?? process.env.SIGNALBOX_URL ?? (await storedAddress()) ?? usualAddress
  const account = await withToken(serverAddress(given))
  const { person, workspace } = await readContext(account)
  await storeAccount({ ...account, workspace: workspace.slug })
  if (values.json) return printJson({ url: account.url, workspace: workspace.slug, person: person.name })
  print(
    `Signed in to ${account.url} as ${oneLine(person.name)} (${person.role}), workspace ${oneLine(workspace.name)}`,
  )
}

async function withToken(url: string): Promise<Account> {
  const token = (await text(process.stdin)).trim()
  if (!/^tk_[0-9A-Za-z]{32}$/.test(token))
    throw new CommandError(
      'Standard input does not hold an API token. They begin with tk_ and have 35 characters.',
      'usage',
    )
  return { url, token, workspace: null, session: null }
}
