import { Toast } from '@base-ui/react/toast'
import { Failure } from '../api/client.ts'
import { onReached } from '../api/reach.ts'

export const manager = Toast.createToastManager()

type Said = Parameters<typeof manager.add>[0]

/** What is said before the place where it is shown has come. */
let waiting: (() => void)[] | null = []
let askForPlace = () => {}

/** Calls when something is said and there is no place yet where it is shown. */
export function onPlaceWanted(run: () => void): void {
  askForPlace = run
  if (waiting?.length) run()
}

export function showWaiting(): void {
  const all = waiting ?? []
  waiting = null
  for (const add of all) add()
}

/** Says something in the corner; returns how to put it away. */
export function toast(said: Said): () => void {
  const id = crypto.randomUUID()
  const add = () => void manager.add({ ...said, id })
  if (waiting) {
    waiting.push(add)
    askForPlace()
  } else add()
  return () => manager.close(id)
}

/** Says that something was done. `undo` offers the way back where there is one. */
export const say = (title: string, undo?: () => void): void => {
  toast({
    title,
    timeout: 5_000,
    ...(undo ? { actionProps: { children: 'Undo', onClick: undo } } : {}),
  })
}

/** Says what has happened elsewhere, with the way there; returns how to put it away. */
export const tell = (title: string, description: string, action: string, go: () => void): (() => void) => {
  const close = toast({
    title,
    ...(description ? { description } : {}),
    timeout: 10_000,
    actionProps: {
      children: action,
      onClick: () => {
        close()
        go()
      },
    },
  })
  return close
}

/** How the sentences of contract/remedy.ts begin. The list itself is long, and rarely needed. */
const mayHaveRemedy = /Ask the (?:server operator|person who runs the runner) to /

async function openManual(refusal: string): Promise<void> {
  const { remedyIn } = await import('@signalbox/contract/remedy.ts')
  window.open(remedyIn(refusal)?.doc ?? '/docs', '_blank', 'noopener')
}

/** Says what went wrong, with the id under which the server's log has it. */
export function complain(error: unknown): void {
  const failure = error instanceof Failure ? error : null
  const close = toast({
    type: 'error',
    title: failure?.message ?? 'Something went wrong on this page. Reload it and try again.',
    ...(failure?.requestId ? { description: `Request ${failure.requestId}` } : {}),
    ...(mayHaveRemedy.test(failure?.message ?? '')
      ? { actionProps: { children: 'See the manual', onClick: () => void openManual(failure!.message) } }
      : {}),
    timeout: 10_000,
  })
  if (failure?.code !== 'unreachable') return
  const stop = onReached(() => {
    stop()
    close()
  })
}
