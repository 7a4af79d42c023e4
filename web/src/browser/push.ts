/** A browser's push subscription. */
export interface Subscribed {
  endpoint: string
  p256dh: string
  auth: string
}

export type PushState = 'insecure' | 'unsupported' | 'blocked' | 'possible'

/** Whether this browser can take pushes. */
export function pushState(): PushState {
  if (!window.isSecureContext) return 'insecure'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : 'possible'
}

/** Who turned pushes on in this browser: the next person to use it has not. */
const turnedOnBy = 'signalbox.push'

/** Asks the person, and subscribes. Null when they would rather not. */
export async function subscribe(key: string, personId: string): Promise<Subscribed | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  await navigator.serviceWorker.register('/push.js')
  const { pushManager } = await navigator.serviceWorker.ready
  // One that was made with another key takes nothing of ours.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  localStorage.setItem(turnedOnBy, personId)
  return writtenOf(made)
}

export async function unsubscribe(): Promise<void> {
  localStorage.removeItem(turnedOnBy)
  await (await subscription())?.unsubscribe()
}

/** What this browser takes pushes under; null when it takes none for this person. */
export async function subscribed(personId: string): Promise<Subscribed | null> {
  if (localStorage.getItem(turnedOnBy) !== personId || pushState() !== 'possible') return null
  const found = await subscription()
  return found ? writtenOf(found) : null
}

const subscription = async () =>
  (await navigator.serviceWorker?.getRegistration('/push.js'))?.pushManager.getSubscription() ?? null

function writtenOf(made: PushSubscription): Subscribed {
  const { endpoint, keys } = made.toJSON()
  return { endpoint: endpoint!, p256dh: keys!.p256dh!, auth: keys!.auth! }
}
