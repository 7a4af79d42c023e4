import type { MessageRow, WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { AlertTriangle, CheckCircle2, Clock, Pause, PowerOff, RefreshCw, XCircle } from 'lucide-react'
import type { Look } from '../ui/badge.tsx'

export const nameOf = ({ description, url }: Pick<WebhookRow, 'description' | 'url'>): string =>
  description || new URL(url).host

export function lookOf({ state, failingSince }: Pick<WebhookRow, 'state' | 'failingSince'>): Look {
  if (state === 'off') return { tone: 'danger', icon: PowerOff, word: 'Off' }
  if (state === 'paused') return { tone: 'neutral', icon: Pause, word: 'Paused' }
  if (failingSince) return { tone: 'warn', icon: AlertTriangle, word: 'Failing' }
  return { tone: 'ok', icon: CheckCircle2, word: 'Active' }
}

export const messageStates = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' } as const

export function messageLook({ state, attempts }: Pick<MessageRow, 'state' | 'attempts'>): Look {
  if (state === 'delivered') return { tone: 'ok', icon: CheckCircle2, word: 'Delivered' }
  if (state === 'failed') return { tone: 'danger', icon: XCircle, word: 'Failed' }
  return attempts > 0
    ? { tone: 'warn', icon: RefreshCw, word: 'Retrying' }
    : { tone: 'neutral', icon: Clock, word: 'Waiting' }
}

export const eventsInWords = (events: readonly string[], all: number): string =>
  events.length === all ? 'All events' : events.length === 1 ? events[0]! : `${events.length} event types`
