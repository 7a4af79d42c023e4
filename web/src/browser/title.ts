let page = 'Signalbox'
let unread = 0

/** What the page is about, as its tab is called. */
export const pageTitle = (): string => page

export function titlePage(title: string): void {
  page = title
  write()
}

/** How many notifications wait to be read: to be seen also when another tab is in front. */
export function titleUnread(count: number): void {
  unread = count
  write()
}

function write(): void {
  document.title = `${unread > 0 ? `(${unread}) ` : ''}${page} · Signalbox`
}
