import { heartbeatMs } from '@signalbox/contract/limits.ts'

/** How long a new stream may take to open. */
const openMs = 10_000
/** A stream that says nothing for so long has missed two heartbeats: something between holds it open, and it is dead. */
export const silenceMs = 2.5 * heartbeatMs
/** Until a stream that was refused is asked for again. */
const refusedMs = 2_000

interface StreamOptions {
  /** Where it is; asked each time it is opened. */
  address: () => string
  on: Record<string, (data: string) => void>
  /** It is open, or has said something. `isNew`: it was opened again without the id of what was heard last. */
  onHeard: (isNew: boolean) => void
  /** It was interrupted or has fallen silent. */
  onBroken: () => void
  /** The browser has given up: after an error page of a proxy, or because the session or the membership has ended. */
  onRefused?: () => void
}

/**
 * Keeps a stream of events open until it is closed. After a break the browser reconnects on its own and says what it
 * heard last; after silence, or once the browser has given up, a new one is opened.
 */
export function keepStream({ address, on, onHeard, onBroken, onRefused }: StreamOptions): {
  close: () => void
} {
  let [isNew, isClosed] = [false, false]
  let timer: ReturnType<typeof setTimeout> | undefined
  let source = open()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      source.close()
    },
  }

  function within(milliseconds: number, late: () => void): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(late, milliseconds)
  }

  function replace(): void {
    source.close()
    isNew = true
    source = open()
  }

  function open(): EventSource {
    const opened = new EventSource(address())
    const silent = () => {
      onBroken()
      replace()
    }
    const heard = () => {
      within(silenceMs, silent)
      onHeard(isNew)
      isNew = false
    }
    within(openMs, silent)
    opened.onopen = heard
    opened.onerror = () => {
      onBroken()
      if (opened.readyState !== EventSource.CLOSED) return within(openMs, silent)
      onRefused?.()
      within(refusedMs, replace)
    }
    opened.addEventListener('alive', heard)
    for (const [event, hear] of Object.entries(on))
      opened.addEventListener(event, (message) => {
        heard()
        hear((message as MessageEvent).data as string)
      })
    return opened
  }
}
