import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useIsAtLeast } from '../browser/screen-width.ts'
import { IconButton } from './button.tsx'
import { Coded, Keyed } from './coded.tsx'
import { manager, showWaiting } from './toast.tsx'

/**
 * Where toasts are shown: in a corner that no title and no form uses. Beside a sidebar that is its lower end, above the
 * account and no wider than to where the page begins; on a phone it is over the whole bar at the bottom, one at a time,
 * and above a dialog, which has its buttons there. It comes after the first paint; what was said until then is shown with it.
 */
export function Toasts() {
  useEffect(showWaiting, [])
  const hasSidebar = useIsAtLeast('md')
  return (
    <Toast.Provider toastManager={manager} limit={hasSidebar ? 3 : 1}>
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-0 bottom-0 z-50 flex flex-col-reverse gap-2 max-md:[html:has([data-sheet])_&]:top-0 max-md:[html:has([data-sheet])_&]:bottom-auto md:right-auto md:bottom-16 md:left-2 md:w-52">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts: shown } = Toast.useToastManager()
  return shown.map((toast) => {
    // An error is read to its end; on a phone everything else fits into the bar that it covers.
    const clamp = toast.type === 'error' ? '' : 'max-md:line-clamp-1'
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        swipeDirection={['down', 'left', 'right']}
        className={`relative flex min-h-[calc(3.5rem+1px+env(safe-area-inset-bottom))] flex-wrap items-center rounded-lg border bg-raised py-1 pr-10 pl-3 shadow-pop data-limited:hidden ${toast.type === 'error' ? 'border-danger' : ''}`}
      >
        <div className="min-w-0 flex-1 py-1 md:basis-full">
          <Toast.Title dir="auto" className={`text-sm font-medium wrap-anywhere ${clamp}`}>
            {typeof toast.title === 'string' ? <Coded text={toast.title} /> : toast.title}
          </Toast.Title>
          {toast.description && (
            <Toast.Description
              className={`text-xs text-muted ${clamp} ${toast.type === 'error' ? 'font-mono break-all' : 'wrap-anywhere'}`}
            >
              {typeof toast.description === 'string' ? <Keyed text={toast.description} /> : toast.description}
            </Toast.Description>
          )}
        </div>
        {toast.actionProps && (
          <Toast.Action className="h-8 shrink-0 rounded-md px-2 text-sm font-medium text-accent hover:bg-hover md:-ml-2 pointer-coarse:h-[44px]" />
        )}
        <Toast.Close
          render={
            <IconButton label="Dismiss" className="absolute! top-2 right-1.5">
              <X size={14} />
            </IconButton>
          }
        />
      </Toast.Root>
    )
  })
}
