/** Asked of a table whose rows come and go: it goes to its next hunk, or lets the others have their turn. */
export const hunkStep = 'hunkstep'
export type HunkStep = CustomEvent<{ by: 1 | -1 }>

/** Brings it into sight and gives it the focus. */
export function goTo(row: HTMLElement, block: ScrollLogicalPosition = 'center'): void {
  row.scrollIntoView({ block })
  row.focus({ preventScroll: true })
}

/** To the next hunk, or the one before: from what has the focus, else from what is at the top of the screen. */
export function stepHunk(place: HTMLElement, by: 1 | -1): void {
  const focused = place.contains(document.activeElement) ? document.activeElement : null
  const long = focused?.closest<HTMLElement>('[data-long]')
  const asked: HunkStep = new CustomEvent(hunkStep, { cancelable: true, detail: { by } })
  if (long && !long.dispatchEvent(asked)) return
  const isAhead = (head: HTMLElement) => {
    if (!focused) return head.getBoundingClientRect().top > 16
    return !(head.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING)
  }
  const others = [...place.querySelectorAll<HTMLElement>('[data-hunk]')].filter(
    (head) => head !== focused && !long?.contains(head),
  )
  const next = by > 0 ? others.find(isAhead) : others.findLast((head) => !isAhead(head))
  if (next) goTo(next)
}

/** The line above or below, within a table of changes. */
export function stepLine(row: Element, by: 1 | -1): void {
  const next = by > 0 ? row.nextElementSibling : row.previousElementSibling
  if (next instanceof HTMLElement && next.matches('[tabindex]')) goTo(next, 'nearest')
}
