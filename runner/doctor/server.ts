import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { Config } from '../config.ts'
import type { Finding } from './finding.ts'

const patienceMs = 10_000
const clockMs = 60_000

/** Whether the server can be reached and takes the token. A beat without a session tells, and changes nothing. */
export async function findServer(config: Config): Promise<Finding[]> {
  const { url, token, version } = config
  const lacking = (found: string, remedy: string): Finding[] => [
    { what: 'server', state: 'lacking', found, remedy },
  ]
  const asked = Date.now()
  try {
    const response = await fetch(`${trimEnd(url.href, '/')}/runner/v1/beat`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': `signalbox-runner/${version}`,
      },
      body: JSON.stringify({ orders: [], free: 0, diskFree: null, drains: false }),
      signal: AbortSignal.timeout(patienceMs),
    })
    const { status } = response
    if (status === 401)
      return lacking(
        `${url.host} rejects the token`,
        'Create an API token in Signalbox under Settings, API tokens, and put it into SERVICE_API_KEY.',
      )
    if (status === 404)
      return lacking(
        `${url.host} has no runner API`,
        'Check --url: it must be the address of Signalbox itself.',
      )
    if (status >= 300 && status < 400)
      return lacking(`${url.host} redirects elsewhere`, `Use ${response.headers.get('location')} as --url.`)
    if (status >= 500) return lacking(`${url.host} answers ${status}`, 'Check the log of the server.')
    const found = `${url.host} accepts the token`
    return [{ what: 'server', state: 'fine', found, remedy: null }, ...clock(response, asked)]
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } }
    const why = name === 'TimeoutError' ? 'does not answer' : `cannot be reached (${cause?.code ?? name})`
    return lacking(`${url.host} ${why}`, 'Check --url, the network and any firewall in between.')
  }
}

/** Only for people: the runner itself never compares clocks. */
function clock(response: Response, asked: number): Finding[] {
  const told = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(told)) return []
  const seconds = Math.round((told - (asked + Date.now()) / 2) / 1000)
  const found =
    Math.abs(seconds) <= 1
      ? 'the same as the server'
      : `${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} the server`
  const isFar = Math.abs(seconds) * 1000 > clockMs
  const remedy = isFar
    ? 'Nothing breaks, but times in logs will not match. Turn on NTP (timedatectl set-ntp true).'
    : null
  return [{ what: 'clock', state: isFar ? 'weak' : 'fine', found, remedy }]
}
