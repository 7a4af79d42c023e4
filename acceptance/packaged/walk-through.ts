import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { until } from '../demo.ts'

/**
 * What a newcomer does with a server of their own, over HTTP: set up, sign in, an alert, and the decision it asks for.
 * Returns how they go on.
 */
export async function walkThrough(url: string, code: string): Promise<Newcomer> {
  const person = { email: 'ada@example.com', password: 'a password of some length' }
  const workspace = { name: 'Acme', slug: 'acme' }
  await page(url).post('/api/setup', { code, name: 'Ada Example', ...person, workspace })

  const ada = page(url)
  await ada.post('/api/auth/sign-in/email', person)
  const write = <T>(name: string, input: unknown) => ada.post<T>(`/api/w/acme/${name}`, input)
  const team = { name: 'Web', slug: 'web', keyPrefix: 'WEB', preset: 'balanced' }
  await write('teams.create', team)
  const service = await write<{ id: string }>('services.create', { name: 'checkout', team: 'web' })
  const source = await write<{ url: string; secret: string }>('sources.add', {
    kind: 'generic',
    name: 'our own',
    services: [service.id],
  })

  const alert = {
    ...{ id: 'disk-1', title: 'No space left on device', status: 'firing', severity: 'critical' },
    ...{ description: 'write failed: no space left on device on /var/lib/orders' },
  }
  const body = JSON.stringify({ alerts: [alert] })
  const signature = createHmac('sha256', source.secret).update(body).digest('hex')
  const delivered = await fetch(new URL(new URL(source.url).pathname, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` },
    body,
  })
  assert.equal(delivered.status, 202, await delivered.text())

  type Decisions = { data: { key: string }[] }
  type Asked = { decision: { options: { id: string; action: string }[] } }
  const pending = () => ada.get<Decisions>('/api/w/acme/decisions.list?status=pending')
  await until('the alert leads to a decision', async () => (await pending()).data.length > 0)
  const { key } = (await pending()).data[0]!
  const { decision } = await ada.get<Asked>(`/api/w/acme/decisions.read?key=${key}`)
  await write('decisions.resolve', {
    key,
    optionId: decision.options.at(-1)!.id,
    note: 'Seen.',
  })
  assert.deepEqual((await pending()).data, [])
  return { read: (name) => ada.get(`/api/w/acme/${name}`), write }
}

export interface Newcomer {
  read<T>(name: string): Promise<T>
  write<T>(name: string, input: unknown): Promise<T>
}

/** A browser as far as cookies go. */
function page(url: string) {
  const cookies = new Map<string, string>()
  const ask = async (path: string, init: RequestInit) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(new URL(path, url), { ...init, headers: { cookie, ...init.headers } })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      cookies.set(name!, value!)
    }
    const text = await response.text()
    assert.equal(response.status, 200, `${path}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  return {
    get: <T>(path: string): Promise<T> => ask(path, {}),
    post: <T>(path: string, body: unknown): Promise<T> =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: new URL(url).origin },
        body: JSON.stringify(body),
      }),
  }
}
