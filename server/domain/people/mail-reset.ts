import { randomUUID } from 'node:crypto'
import { plainLine } from '../plain-text.ts'
import type { Mailer } from '../ports/mailer.ts'

/** Mails a link that resets a password. Not an effect: what is to be done is written down, and a link is not. */
export async function mailReset(
  mailer: Mailer,
  person: { name: string; email: string },
  link: string,
): Promise<void> {
  const mailed = await mailer.send({
    key: `reset/${randomUUID()}`,
    to: { name: person.name, address: person.email },
    subject: 'Choose a new password for Signalbox',
    text: [
      `Hello ${plainLine(person.name, 100)},`,
      '',
      `choose a new password within the hour: ${link}`,
      '',
      'If you did not ask for this, do nothing; your password stays as it is.',
      '',
    ].join('\n'),
  })
  if (!mailed.sent) throw new Error(mailed.reason)
}
