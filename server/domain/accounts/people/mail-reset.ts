import { randomUUID } from 'node:crypto'
import { plainLine } from '../../plain-text.ts'
import type { Mailer } from '../../ports/mailer.ts'

/** Mails a link that resets a password. Not an effect: what is to be done is written down, and a link is not. */
export async function mailReset(
  mailer: Mailer,
  person: { name: string; email: string },
  link: string,
): Promise<void> {
  const mailed = await mailer.send({
    key: `reset/${randomUUID()}`,
    to: { name: person.name, address: person.email },
    subject: 'Reset your Signalbox password',
    text: [
      `Hello ${plainLine(person.name, 100)},`,
      '',
      `Use this link within an hour to choose a new password: ${link}`,
      '',
      'If you didn’t ask for this, you can ignore this email. Your password stays the same.',
      '',
    ].join('\n'),
  })
  if (!mailed.sent) throw new Error(mailed.reason)
}
