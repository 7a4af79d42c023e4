import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpSettings } from '../../integrations/mail/smtp.ts'

export interface Arrived {
  from: string
  to: string[]
  /** As it came, lines ended by CR LF. */
  raw: string
  headers: string
  /** As it would be shown. */
  text: string
}

/** A mail server on this machine. What it took is in `arrived`. */
export async function mailHost(t: { after(work: () => unknown): void }, options: SMTPServerOptions = {}) {
  const arrived: Arrived[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, taken) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const [headers, ...body] = raw.split('\r\n\r\n') as [string, ...string[]]
        const { mailFrom, rcptTo } = session.envelope
        arrived.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          headers,
          text: decoded(headers, body.join('\r\n\r\n')),
        })
        taken()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const settings: SmtpSettings = {
    host: '127.0.0.1',
    port: (server.server.address() as AddressInfo).port,
    secure: false,
    insistOnTls: false,
    login: null,
    from: { name: 'Signalbox', address: 'alerts@signalbox.example.com' },
  }
  return { arrived, settings }
}

function decoded(headers: string, body: string): string {
  if (/transfer-encoding: base64/i.test(headers)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/transfer-encoding: quoted-printable/i.test(headers)) return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}
