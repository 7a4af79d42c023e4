import { silenceMs } from './stream.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

export const pollMs = 10_000

interface PulseOptions {
  onState: (state: LiveState) => void
  /** Reads again what is on the screen. */
  poll: () => void
}

/**
 * Watches that news still come, in every tab for itself: the one that listens for all of them may be asleep. While none
 * come, it polls.
 */
export function watchLiveness({ onState, poll }: PulseOptions) {
  let state: LiveState = 'connecting'
  let timer: ReturnType<typeof setTimeout> | undefined
  const after = (milliseconds: number, run: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(run, milliseconds)
  }
  const become = (next: LiveState) => {
    if (state === next) return
    state = next
    onState(next)
  }
  const pollOn = () => {
    become('lost')
    poll()
    after(pollMs, pollOn)
  }
  after(silenceMs, pollOn)
  return {
    /** Something was heard. */
    beat: () => {
      become('live')
      after(silenceMs, pollOn)
    },
    /** It is known to be interrupted. */
    lose: () => {
      if (state === 'lost') return
      become('lost')
      after(pollMs, pollOn)
    },
    stop: () => clearTimeout(timer),
  }
}
