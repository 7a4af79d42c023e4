import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from './button.tsx'
import { manager, showWaiting } from './toast.tsx'

/**
 * Where toasts are shown: at the top, since forms, dialogs of a phone and what is not saved have their buttons below.
 * It comes after the first paint; what was said until then is shown with it.
 */
export function Toasts() {
  useEffect(showWaiting, [])
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed top-3 left-1/2 z-50 flex w-[calc(100%-2rem)] max-w-sm -translate-x-1/2 flex-col gap-2">
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
      swipeDirection={['up', 'left', 'right']}
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
