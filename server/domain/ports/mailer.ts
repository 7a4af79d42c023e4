interface Mail {
  /** Idempotency key: a mail that is sent twice carries the same Message-ID, so that the recipient can tell. */
  key: string
  to: { name: string; address: string }
  subject: string
  /** Plain text; nothing in it is markup. */
  text: string
}

/** Not sent: the server will not have this recipient, today or tomorrow. What may pass is thrown, and tried again. */
type Mailed = { sent: true } | { sent: false; reason: string }

export interface Mailer {
  send(mail: Mail): Promise<Mailed>
}
