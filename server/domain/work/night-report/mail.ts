import type { Mailer } from '../../ports/mailer.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { recipientOf } from './recipient.ts'
import { partsOf, textOf, titleOf } from './text.ts'

/** Mails a person the report of a morning, unless they have left or there is no mailer. */
export const mailReport =
  (mailer: Mailer | null, { publicUrl }: { publicUrl: () => string }): Performer<'mail_report'> =>
  async (ctx, effect) => {
    const found = mailer && (await recipientOf(ctx, effect.data))
    if (!mailer || !found) return { isMoot: true, settle: async () => [] }
    const { report, name, email, workspace } = found
    const { morning } = effect.data
    const url = `${publicUrl()}/${workspace}`
    await mailer.send({
      key: effect.key,
      to: { name, address: email },
      subject: titleOf(morning),
      text: [
        ...[titleOf(morning), `${url}/report/${morning}`, ''],
        ...[textOf(partsOf(report, url)), ''],
        ...[`Choose when you get this report: ${publicUrl()}/account?tab=notifications`, ''],
      ].join('\n'),
    })
    return { settle: async () => [] }
  }
