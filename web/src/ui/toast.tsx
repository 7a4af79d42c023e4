import { Toast } from '@base-ui/react/toast'
import { remedyIn } from '@signalbox/contract/remedy.ts'
import { X } from 'lucide-react'
import { Failure } from '../api/client.ts'
import { onReached } from '../api/reach.ts'
import { IconButton } from './button.tsx'

export const toasts = Toast.createToastManager()

/** Says that something was done. `undo` offers the way back where there is one. */
export const say = (title: string, undo?: () => void): void => {
  toasts.add({
    title,
    timeout: 5_000,
    ...(undo ? { actionProps: { children: 'Undo', onClick: undo } } : {}),
  })
}

/** Says what has happened elsewhere, with the way there. */
export const tell = (title: string, description: string, action: string, go: () => void): void => {
  const id = toasts.add({
    title,
    ...(description ? { description } : {}),
    timeout: 10_000,
    actionProps: {
      children: action,
      onClick: () => {
        toasts.close(id)
        go()
      },
    },
  })
}

/** Says what went wrong, with the id under which the server's log has it. */
export function complain(error: unknown): void {
  const failure = error instanceof Failure ? error : null
  const remedy = remedyIn(failure?.message ?? '')
  const id = toasts.add({
    type: 'error',
    title: failure?.message ?? 'Something went wrong on this page. Reload it and try again.',
    ...(failure?.requestId ? { description: `Request ${failure.requestId}` } : {}),
    ...(remedy
      ? {
          actionProps: {
            children: 'See the manual',
            onClick: () => void window.open(remedy.doc, '_blank', 'noopener'),
          },
        }
      : {}),
    timeout: 10_000,
  })
  if (failure?.code !== 'unreachable') return
  const stop = onReached(() => {
    stop()
    toasts.close(id)
  })
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-[max(5rem,var(--bar,0px))] z-50 flex w-[calc(100%-2rem)] max-w-sm flex-col gap-2 md:bottom-[max(1rem,var(--bar,0px))]">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts: shown } = Toast.useToastManager()
  return shown.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`flex items-start gap-2 rounded-lg border bg-raised py-2 pr-2 pl-3 shadow-pop ${toast.type === 'error' ? 'border-danger' : ''}`}
    >
      <div className="min-w-0 flex-1 py-1">
        <Toast.Title className="text-sm font-medium break-words" />
        <Toast.Description
          className={`mt-0.5 text-xs text-muted ${toast.type === 'error' ? 'font-mono break-all' : 'break-words'}`}
        />
      </div>
      {toast.actionProps && (
        <Toast.Action className="h-8 rounded-md px-2 text-sm font-medium text-accent hover:bg-hover" />
      )}
      <Toast.Close
        render={
          <IconButton label="Dismiss">
            <X size={14} />
          </IconButton>
        }
      />
    </Toast.Root>
  ))
}
