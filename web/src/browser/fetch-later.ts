/**
 * Fetches the code of what opens over any screen, because the server may be away when that is opened. It is not run:
 * that would block a slow phone for things that few people open. What could not be fetched is asked for again.
 */
export function fetchLater(): void {
  const named = document.querySelector<HTMLMetaElement>('meta[name="later"]')?.content.split(' ') ?? []
  for (const href of named) {
    if (!href || document.head.querySelector(`link[href="${href}"]`)) continue
    const link = document.createElement('link')
    Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '', fetchPriority: 'low' })
    link.onerror = () => link.remove()
    document.head.append(link)
  }
}
