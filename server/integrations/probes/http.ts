import { lookup as systemLookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Probe, Probed, ProbeRequest } from '../../domain/ports/probe.ts'
import { isPublic, networks } from '../../infra/http/public-address.ts'

interface Address {
  address: string
  family: number
}

export interface HttpProbeOptions {
  /** Hosts and networks that may be reached although they are not on the public internet. */
  allow: readonly string[]
  resolve?: (host: string) => Promise<Address[]>
}

const mostRedirects = 3
const mostBytes = 256 * 1024

/** What is told as the problem of a check. */
class Unreached extends Error {}

/**
 * Looks at addresses that people of a workspace chose, from a machine that can see more than they may. So each host is
 * resolved once, every address it has must be one that may be reached, and the connection goes to just these
 * addresses: what the name server says a moment later does not matter. The same again for each redirect.
 */
export function httpProbe({ allow, resolve = everyAddress }: HttpProbeOptions): Probe {
  const isAddress = (entry: string) => isIP(entry.split('/')[0]!) > 0
  const allowedNetworks = networks(allow.filter(isAddress))
  const allowedHosts = new Set(allow.filter((entry) => !isAddress(entry)))

  async function reachable(url: URL): Promise<Address[]> {
    if (!/^https?:$/.test(url.protocol))
      throw new Unreached('it leads to an address that is not http or https')
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const family = isIP(host)
    const addresses = family ? [{ address: host, family }] : await resolve(host)
    if (addresses.length === 0) throw new Unreached('its host has no address')
    const mayReach = ({ address }: Address) =>
      allowedHosts.has(host) || allowedNetworks.has(address) || isPublic(address)
    // What the addresses are is not told: it would map a network that whoever reads this may not see.
    if (!addresses.every(mayReach))
      throw new Unreached(
        `${host} is not on the public internet; whoever runs this server can allow it with UPTIME_ALLOW`,
      )
    return addresses
  }

  async function follow({ url, wanted }: ProbeRequest, signal: AbortSignal): Promise<Probed> {
    let at = new URL(url)
    for (let hop = 0; ; hop += 1) {
      const response = await ask(at, await aborting(reachable(at), signal), signal)
      const status = response.statusCode ?? 0
      const to = [301, 302, 303, 307, 308].includes(status) ? response.headers.location : undefined
      if (to === undefined || wanted.includes(status)) return { status, body: await beginning(response) }
      response.destroy()
      if (hop === mostRedirects) throw new Unreached(`it redirects more than ${mostRedirects} times`)
      if (!URL.canParse(to, at.href)) throw new Unreached('it redirects to what is no address')
      at = new URL(to, at)
    }
  }

  return {
    async get(request, given) {
      const tooLate = AbortSignal.timeout(request.timeoutMs)
      try {
        return await follow(request, AbortSignal.any([given, tooLate]))
      } catch (error) {
        given.throwIfAborted()
        if (error instanceof Unreached) return { problem: error.message }
        if (tooLate.aborted) return { problem: `no answer within ${request.timeoutMs / 1000} seconds` }
        const { code } = error as NodeJS.ErrnoException
        return { problem: `it could not be reached (${code ?? 'unknown error'})` }
      }
    },
  }
}

function ask(url: URL, addresses: Address[], signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: RequestOptions['lookup'] = (_, options, found) =>
    options.all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family)
  // No agent: a connection that is left over from another check leads to an address that was checked then.
  const options = {
    agent: false,
    lookup,
    signal,
    headers: { 'user-agent': 'Signalbox uptime check', accept: '*/*', 'accept-encoding': 'identity' },
  } as const
  // A name or a password in the address of a redirect is not sent on.
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    send(plain, options, resolve).on('error', reject).end()
  })
}

/** The rest is not read: leaving the loop closes the connection. */
async function beginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= mostBytes) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8')
}

const everyAddress = (host: string): Promise<Address[]> => systemLookup(host, { all: true })

/** A question to the name server cannot be taken back, but it need not be waited for. */
async function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
