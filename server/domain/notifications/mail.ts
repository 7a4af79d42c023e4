import type { Performer } from '../outbox/perform.ts'
import { plainLine } from '../plain-text.ts'
import type { Mailer } from '../ports/mailer.ts'
import { pathOf } from './link.ts'
import { sendableOf } from './sendable.ts'

/** Mails what somebody was told in the app. Not what was read meanwhile, and nothing without a mailer. */
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
        `Choose what you are mailed about: ${publicUrl()}/account?tab=notifications`,
        '',
      ].join('\n'),
    })
    return { settle: async () => [] }
  }
