import { createHash } from 'node:crypto'
import type { NodemailerError } from 'nodemailer'
import type { Mailer } from '../../domain/ports/mailer.ts'

export interface SmtpSettings {
  host: string
  port: number
  /** TLS from the first byte. */
  secure: boolean
  /** Without TLS nothing is said to the server. */
  insistOnTls: boolean
  login: { user: string; password: string } | null
  from: { name: string; address: string }
}

/** An effect is held for half a minute; the call must be over before. */
const longestMs = 25_000

/** Hands mail to a mail server, one connection for each. */
export function smtpMailer(settings: SmtpSettings, limits = { milliseconds: longestMs }): Mailer {
  const { host, port, secure, insistOnTls, login, from } = settings
  const connect = async () => {
    // Loaded for the first mail: most processes send none, and it takes a tenth of a start.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      requireTLS: insistOnTls,
      ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
      dnsTimeout: limits.milliseconds,
      connectionTimeout: limits.milliseconds,
      greetingTimeout: limits.milliseconds,
      socketTimeout: limits.milliseconds,
      // The text of a mail is text, whatever it looks like.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: ReturnType<typeof connect> | undefined
  const domain = from.address.split('@')[1]!
  return {
    async send({ key, to, subject, text }) {
      if (!oneAddress.test(to.address)) return { sent: false, reason: 'it is not an email address' }
      transport ??= connect()
      const sending = (await transport).sendMail({
        messageId: `<${createHash('sha256').update(key).digest('hex').slice(0, 32)}@${domain}>`,
        from,
        to: { name: oneLine(to.name), address: to.address },
        envelope: { from: from.address, to: [to.address] },
        subject: oneLine(subject),
        text,
        // Answering machines stay silent (RFC 3834).
        headers: { 'auto-submitted': 'auto-generated' },
      })
      try {
        await within(limits.milliseconds, sending)
        return { sent: true }
      } catch (error) {
        const { code, responseCode, rejected, response } = error as Refusal
        if (code === 'EENVELOPE' && rejected?.length && responseCode && responseCode >= 500)
          return { sent: false, reason: oneLine(response ?? String(responseCode)).slice(0, 200) }
        // What the server says of a failed login is not repeated: it may quote it.
        const why = [code, responseCode].filter(Boolean).join(' ') || (error as Error).message
        throw new Error(`The mail server ${host} did not accept the message (${why}).`)
      }
    },
  }
}

type Refusal = NodemailerError & { responseCode?: number; rejected?: string[]; response?: string }

/** Exactly one address, with nothing in it that could end the SMTP command or the header that holds it. */
const oneAddress = /^[^\s\p{Cc}<>@,;:"()[\]\\]+@[^\s\p{Cc}<>@,;:"()\\]+$/u

/** A header has one line. */
const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** A server that sends a byte now and then keeps every other limit waiting. */
async function within(milliseconds: number, sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not finished within ${milliseconds / 1000} seconds`)),
      milliseconds,
    )
  })
  await Promise.race([sending, tooLong]).finally(() => clearTimeout(timer))
}
