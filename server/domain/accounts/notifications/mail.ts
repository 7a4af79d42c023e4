import { plainLine } from '../../plain-text.ts'
import type { Mailer } from '../../ports/mailer.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { pathOf } from './link.ts'
import { sendableOf } from './sendable.ts'

/** Mails a notification, unless it has been read by now or there is no mailer. */
export const mailNotification =
  (mailer: Mailer | null, { publicUrl }: { publicUrl: () => string }): Performer<'mail_notification'> =>
  async (ctx, effect) => {
    const { notification: id } = effect.data
    const told = mailer && (await sendableOf(ctx, id))
    if (!mailer || !told) return { settle: async () => [] }
    await mailer.send({
      key: effect.key,
      to: { name: told.personName, address: told.email },
      subject: plainLine(told.title, 200),
      text: [
        told.title,
        '',
        told.body,
        '',
        `${publicUrl()}${pathOf(told.workspace, told)}`,
        '',
        `Choose which emails you get: ${publicUrl()}/account?tab=notifications`,
        '',
      ].join('\n'),
    })
    return { settle: async () => [] }
  }
