import type { request } from 'node:https'
import { confirmationUrl, type Web } from '../../domain/ports/web.ts'
import { mayPass, NoAnswer, strictGet } from '../../infra/http/strict-get.ts'

/** Visits what has to be visited to confirm a subscription, and nothing else. */
export function httpsWeb(options: { request?: typeof request; milliseconds?: number } = {}): Web {
  const get = strictGet({ mostBytes: 64 * 1024, milliseconds: 10_000, mostConnections: 4, ...options })
  return {
    async confirm(url) {
      const topicArn = url.searchParams.get('TopicArn') ?? ''
      const token = url.searchParams.get('Token') ?? ''
      if (confirmationUrl({ topicArn, token })?.href !== url.href)
        return { confirmed: false, reason: 'it is not confirmed at that address' }
      const { status } = await get(url).catch((error) => {
        throw error instanceof NoAnswer
          ? new Error(`The subscription could not be confirmed at ${url.hostname}: ${error.message}.`)
          : error
      })
      if (mayPass(status))
        throw new Error(
          `The subscription could not be confirmed: ${url.hostname} answered with status ${status}.`,
        )
      if (status === 200) return { confirmed: true }
      return { confirmed: false, reason: `${url.hostname} answered with status ${status}` }
    },
  }
}
