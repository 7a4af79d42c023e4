import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from './button.tsx'
import { manager, showWaiting } from './toast.tsx'

/** Where toasts are shown. It comes after the first paint; what was said until then is shown with it. */
export default function Toasts() {
  useEffect(showWaiting, [])
  return (
    <Toast.Provider toastManager={manager}>
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
