import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { mailHost } from '../../test/hosts/mail-host.ts'
import { patienceMs } from '../../test/patience.ts'
import { smtpMailer } from './smtp.ts'

const mail = {
  key: 'mail_member/1/opened/2',
  to: { name: 'Ann Example', address: 'ann@example.com' },
  subject: '[inc-k3x9] opened: Checkout errors',
  text: 'Incident inc-k3x9 opened.\n\n<b>Not markup</b> & {"path": "/etc/passwd"}\n',
}

const fails = (status: number) => (_: unknown, __: unknown, done: (error: Error) => void) =>
  done(Object.assign(new Error('Not now'), { responseCode: status }))

test('a mail arrives as plain text, from whom it says', async (t) => {
  const { arrived, settings } = await mailHost(t)
  assert.deepEqual(await smtpMailer(settings).send(mail), { sent: true })
  const [one] = arrived
  assert.equal(arrived.length, 1)
  assert.deepEqual([one!.from, one!.to], ['alerts@signalbox.example.com', ['ann@example.com']])
  assert.match(one!.headers, /^From: Signalbox <alerts@signalbox\.example\.com>$/m)
  assert.match(one!.headers, /^To: Ann Example <ann@example\.com>$/m)
  assert.match(one!.headers, /^Subject: \[inc-k3x9\] opened: Checkout errors$/m)
  assert.match(one!.headers, /^Content-Type: text\/plain; charset=utf-8$/m)
  assert.match(one!.headers, /^Auto-Submitted: auto-generated$/im)
  assert.equal(one!.text.trimEnd(), mail.text.trimEnd())
})

test('a mail that is sent again is recognised by its Message-ID', async (t) => {
  const { arrived, settings } = await mailHost(t)
  const mailer = smtpMailer(settings)
  await mailer.send(mail)
  await smtpMailer(settings).send(mail)
  await mailer.send({ ...mail, key: 'another' })
  const ids = arrived.map(
    ({ headers }) => /^Message-ID: (<[0-9a-f]{32}@signalbox\.example\.com>)$/im.exec(headers)?.[1],
  )
  assert.ok(ids[0])
  assert.equal(ids[1], ids[0])
  assert.notEqual(ids[2], ids[0])
})

test('neither a subject nor a name can add a header or a recipient', async (t) => {
  const { arrived, settings } = await mailHost(t)
  const mailer = smtpMailer(settings)
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nBody of mine'
  await mailer.send({ ...mail, subject: evil })
  await mailer.send({ ...mail, to: { name: `${evil}" <eve@example.com>, "`, address: mail.to.address } })
  await mailer.send({ ...mail, subject: `${'ä'.repeat(200)}\r\nBcc: eve@example.com` })
  assert.equal(arrived.length, 3)
  for (const { headers, to } of arrived) {
    assert.deepEqual(to, ['ann@example.com'])
    assert.doesNotMatch(headers, /^(bcc|cc)\s*:/im)
  }
})

test('an address that is more than one, or none, is not mailed', async (t) => {
  const { arrived, settings } = await mailHost(t)
  for (const address of [
    'ann@example.com>\r\nRCPT TO:<eve@example.com',
    'ann@example.com,eve@example.com',
    'Ann <ann@example.com>',
    '',
  ])
    assert.deepEqual(await smtpMailer(settings).send({ ...mail, to: { name: 'Ann', address } }), {
      sent: false,
      reason: 'it is not an email address',
    })
  assert.deepEqual(arrived, [])
})

test('the login is used, and never repeated in what is said of its failure', async (t) => {
  const logins: string[] = []
  const { arrived, settings } = await mailHost(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      logins.push(`${username} ${password}`)
      if (password === 'right') done(null, { user: username })
      else done(Object.assign(new Error(`No such login as ${username} ${password}`), { responseCode: 535 }))
    },
  })
  await smtpMailer({ ...settings, login: { user: 'me', password: 'right' } }).send(mail)
  await assert.rejects(
    smtpMailer({ ...settings, login: { user: 'me', password: 'hunter2' } }).send(mail),
    (error: Error) => /EAUTH 535/.test(error.message) && !/hunter2/.test(error.message),
  )
  assert.deepEqual(logins, ['me right', 'me hunter2'])
  assert.equal(arrived.length, 1)
})

test('where TLS is insisted on, a server without it hears neither login nor mail', async (t) => {
  let logins = 0
  const { arrived, settings } = await mailHost(t, {
    allowInsecureAuth: true,
    onAuth(_, __, done) {
      logins += 1
      done(null, { user: 'me' })
    },
  })
  const mailer = smtpMailer({ ...settings, insistOnTls: true, login: { user: 'me', password: 'hunter2' } })
  await assert.rejects(mailer.send(mail), /did not accept the message/)
  assert.deepEqual([logins, arrived.length], [0, 0])
})

test('a recipient who is refused for good is not mistaken for trouble that may pass', async (t) => {
  const unknown = await mailHost(t, {
    onRcptTo: (_, __, done) => done(Object.assign(new Error('No such user here'), { responseCode: 550 })),
  })
  assert.deepEqual(await smtpMailer(unknown.settings).send(mail), {
    sent: false,
    reason: '550 No such user here',
  })
  const greylisted = await mailHost(t, {
    onRcptTo: (_, __, done) => done(Object.assign(new Error('Come back later'), { responseCode: 451 })),
  })
  await assert.rejects(smtpMailer(greylisted.settings).send(mail), /451/)
  const full = await mailHost(t, { onData: fails(452) as never })
  await assert.rejects(smtpMailer(full.settings).send(mail), /452/)
  const away = await mailHost(t)
  await assert.rejects(smtpMailer({ ...away.settings, port: 1 }).send(mail), /ECONN|ESOCKET/)
})

test('a server that says nothing, or a little now and then, is not waited for', {
  timeout: patienceMs,
}, async (t) => {
  const open = new Set<{ destroy(): void }>()
  const server = createServer((socket) => {
    open.add(socket)
    const timer = setInterval(() => socket.write('220-wait\r\n'), 20)
    socket.on('close', () => clearInterval(timer)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { settings } = await mailHost(t)
  const { port } = server.address() as { port: number }
  await assert.rejects(smtpMailer({ ...settings, port }, { milliseconds: 300 }).send(mail), /did not accept/)
})
