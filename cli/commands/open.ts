import type { Asked } from '@signalbox/contract/command-line.ts'
import { currentAccount } from '../accounts.ts'
import type { openLine } from '../command-lines.ts'
import { readContext } from '../context.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { openBrowser } from '../terminal/browser.ts'
import { print, printJson } from '../terminal/print.ts'

const places = { decision: 'decisions', run: 'runs', story: 'stories', incident: 'incidents' } as const

export async function run({ values, positionals: [key] }: Asked<typeof openLine>): Promise<void> {
  const place = key === undefined ? 'inbox' : `${places[kindOfKey(key)]}/${key}`
  const account = await currentAccount()
  const workspace = account.workspace ?? (await readContext(account)).workspace.slug
  const url = `${account.url}/${workspace}/${place}`
  if (values.json) printJson({ url })
  else print(url)
  if (!values.print && !values.json) openBrowser(url)
}
