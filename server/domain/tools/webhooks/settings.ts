import { maxNameLength, maxWebhookUrlLength } from '@signalbox/contract/limits.ts'
import { type WebhookEvent, webhookEvents } from '@signalbox/contract/webhook-events.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { checkedText } from '../../text.ts'
import { selectTeamSlugs } from './store.ts'

const invalid = (complaint: string) => new DomainError('invalid_request', complaint)

/** The address as it is called; refuses what may not be called, as far as that can be known today. */
export async function checkedUrl(text: string, sender: Pick<WebhookSender, 'refusalOf'>): Promise<string> {
  const trimmed = text.trim()
  if (!URL.canParse(trimmed)) throw invalid('url must be a whole URL, such as https://example.com/webhooks.')
  const url = new URL(trimmed)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('url must begin with https://.')
  if (url.username || url.password)
    throw invalid('url must not contain a user name or password. Receivers check the signature instead.')
  url.hash = ''
  if (url.href.length > maxWebhookUrlLength)
    throw invalid(`url is longer than ${maxWebhookUrlLength.toLocaleString('en')} characters.`)
  const refusal = await sender.refusalOf(url)
  if (refusal) throw invalid(refusal)
  return url.href
}

export const checkedDescription = (text: string): string =>
  checkedText('description', text, { least: 0, most: maxNameLength })

/** In the order of the contract, each once. */
export function checkedEvents(events: readonly string[]): WebhookEvent[] {
  const all = Object.keys(webhookEvents) as WebhookEvent[]
  const stray = events.find((event) => !(all as string[]).includes(event))
  if (stray !== undefined) throw invalid(`There is no event type \`${stray.slice(0, 100)}\`.`)
  if (events.length === 0) throw invalid('Choose at least one event type.')
  return all.filter((event) => events.includes(event))
}

/** With their slugs, as the log names them. Null: all teams, those of tomorrow too. */
export async function checkedTeams(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[] | null,
): Promise<{ ids: string[]; slugs: string[] } | null> {
  if (ids === null) return null
  if (ids.length === 0) throw invalid('Choose at least one team, or all of them.')
  const known = await selectTeamSlugs(tx, workspaceId, ids)
  const unknown = ids.find((id) => !known.some((team) => team.id === id))
  if (unknown !== undefined) throw invalid(`There is no team \`${unknown}\`.`)
  return { ids: known.map(({ id }) => id), slugs: known.map(({ slug }) => slug) }
}

/** What the log and the notifications call it: the rest of an address may be a secret. */
export const nameOf = ({ url, description }: { url: string; description: string }): string =>
  description || new URL(url).host
