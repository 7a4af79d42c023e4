import type { Asked } from '@signalbox/contract/command-line.ts'
import { readConfig } from '../app/config.ts'
import { ErasedPeople } from '../app/erased-people.ts'
import { operator } from '../app/operator.ts'
import { openStorage, requireDatabase } from '../app/storage.ts'
import { findPerson } from '../domain/accounts/people/find-person.ts'
import { DomainError } from '../domain/errors.ts'
import { erasePerson } from '../domain/installation/erasure/erase.ts'
import { listErased } from '../domain/installation/erasure/list-erased.ts'
import { previewErasure } from '../domain/installation/erasure/preview.ts'
import { systemClock } from '../infra/clock.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { createLog } from '../infra/log.ts'
import type { erasePersonLine } from './command-lines.ts'
import { print, printJson } from './print.ts'

/** Says what erasing a person does and what it leaves, and does it when it is confirmed. */
export async function run({ values, positionals }: Asked<typeof erasePersonLine>): Promise<void> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const storage = await openStorage(config, createLog({ level: 'warn' }), 'command')
  try {
    const { db } = storage
    const email = positionals[0]!
    const person = await findPerson(db, email)
    if (!person) throw new DomainError('not_found', `There is no person ${email}.`)
    const preview = await previewErasure({ db }, person)
    if (!values.confirm) {
      if (values.json) return printJson({ erased: false, ...preview })
      for (const line of linesOf(email, preview)) print(line)
      return
    }
    const erased = await erasePerson(
      { db, clock: systemClock, queue: silentQueue, channel: 'operator', actor: operator() },
      person.id,
    )
    await new ErasedPeople(config.dataDir).add(await listErased(db))
    if (values.json) return printJson({ erased: true, ...erased, oldEntries: preview.oldEntries })
    print(
      `Erased: ${counted(erased.values, 'value')} of the audit log, ${counted(erased.sentences, 'text')} elsewhere, and the account. The id was ${person.id}.`,
    )
    print(stays(preview.oldEntries))
  } finally {
    await storage.close()
  }
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

const linesOf = (email: string, { values, workspaces, oldEntries }: Preview): string[] => [
  `Nothing was erased yet. Erasing ${email} would:`,
  `- remove them from ${workspaces.length === 0 ? 'no workspace' : workspaces.join(', ')}, and end their sessions and tokens`,
  '- delete their name, email address and ways to sign in',
  `- delete ${counted(values, 'value')} that the audit log refers to`,
  stays(oldEntries),
  'It cannot be undone. To erase them, run it again with --confirm.',
]

type Preview = Awaited<ReturnType<typeof previewErasure>>

const stays = (oldEntries: number) =>
  `What stays: ${counted(oldEntries, 'audit entry').replace('entrys', 'entries')} from before personal data was stored separately; what people wrote themselves; exports, backups and streamed copies of the audit log; Git commits, and comments in your tools.`
