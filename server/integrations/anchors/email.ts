import type { Anchor } from '../../domain/ports/anchor.ts'
import type { Mailer } from '../../domain/ports/mailer.ts'

/** An email to a mailbox that others look after, with the notes as they are: each can be saved and checked. */
export function emailAnchor(mailer: Mailer, address: string): Anchor {
  return {
    async send(checkpoints, at) {
      const several = checkpoints.length === 1 ? '1 workspace' : `${checkpoints.length} workspaces`
      const sent = await mailer.send({
        key: `checkpoints ${checkpoints.map(({ note }) => note).join('')}`,
        to: { name: '', address },
        subject: `Audit log checkpoints of ${several}, ${at.toISOString()}`,
        text: [
          'Signed checkpoints of the Signalbox audit log. Keep this email: with it, verify-audit can show whether the log was rewritten later.',
          'To check one, save the lines from “signalbox/audit” to the signature as a file, and run: npm run signalbox -- verify-audit --checkpoint FILE',
          ...checkpoints.map(({ workspace, note }) => `${workspace}\n\n${note}`),
        ].join('\n\n'),
      })
      if (!sent.sent) throw new Error(`The mail server refused ${address}: ${sent.reason}.`)
    },
  }
}
