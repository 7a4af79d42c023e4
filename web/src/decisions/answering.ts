import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { ResolvedDecision } from '@signalbox/contract/decision.ts'
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Failure, write } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { queryKey, readAgain, useWorkspace } from '../api/queries.ts'
import { type Draft, dropDraft } from './drafts.ts'
import { without } from './selection.ts'

export interface Answering {
  isSending: (key: string) => boolean
  /** Why the last try did not go through; its draft is kept. */
  failureOf: (key: string) => Failure | undefined
  /** Answered on this screen, by this person. */
  isMine: (key: string) => boolean
  send: (key: string, draft: Draft) => void
}

const stale = ['decisions', 'runs', 'stories', 'teams', 'incidents', 'requirements']

type Pages = InfiniteData<{ data: DecisionRow[]; nextCursor: string | null }>

/**
 * Sends answers. Never optimistic: what is shown as done has been done. What comes back is put into the lists at once,
 * so that the next decision is there without waiting for them to be read again.
 */
export function useAnswering(onAnswered: (resolved: ResolvedDecision) => void): Answering {
  const [workspace, client, me] = [useWorkspace(), useQueryClient(), useMe()]
  const [sending, setSending] = useState<ReadonlySet<string>>(new Set())
  const [failures, setFailures] = useState<ReadonlyMap<string, Failure>>(new Map())
  const mine = useRef(new Set<string>())
  const inFlight = useRef(new Set<string>())
  const send = useRef(sendNow)
  send.current = sendNow

  async function sendNow(key: string, { optionId, note }: Draft) {
    if (optionId === null || inFlight.current.has(key)) return
    inFlight.current.add(key)
    setSending(new Set(inFlight.current))
    setFailures((before) => new Map([...before].filter(([failed]) => failed !== key)))
    try {
      const answer = { key, optionId, ...(note.trim() ? { note } : {}) }
      const resolved = await write(workspace, 'decisions.resolve', answer, stale)
      mine.current.add(key)
      dropDraft(workspace, key)
      onAnswered(resolved)
      settle(client, workspace, resolved, me?.name ?? null)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailures((before) => new Map(before).set(key, error))
    } finally {
      inFlight.current.delete(key)
      setSending(new Set(inFlight.current))
      void readAgain(workspace, stale)
    }
  }
  // The same object until something was sent: what is drawn with it need not be drawn again.
  return useMemo(
    () => ({
      isSending: (key) => sending.has(key),
      failureOf: (key) => failures.get(key),
      isMine: (key) => mine.current.has(key),
      send: (key, draft) => void send.current(key, draft),
    }),
    [sending, failures],
  )
}

function settle(
  client: QueryClient,
  workspace: string,
  { effects, ...decision }: ResolvedDecision,
  resolvedBy: string | null,
): void {
  const lists = client.getQueryCache().findAll({ queryKey: [workspace, 'decisions', 'decisions.list'] })
  for (const { queryKey: key } of lists) {
    const isWaiting = (key[3] as { status?: string }).status === 'pending'
    client.setQueryData<Pages>(key, (before) =>
      before && isWaiting ? { ...before, pages: without(before.pages, decision.key) } : before,
    )
  }
  client.setQueryData<DecisionPage>(
    queryKey(workspace, 'decisions.read', { key: decision.key }),
    (before) => before && { ...before, decision: { ...before.decision, ...decision, resolvedBy }, effects },
  )
}
