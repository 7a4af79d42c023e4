import { Failure, unreachable } from './client.ts'
import { probe } from './reach.ts'

/** Fetches code of the app when it is needed. What goes wrong is told as any other failure of the server is. */
export async function code<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw (await probe()) ? outdated() : unreachable()
  }
}

/** An update of the server replaces all code, so a page from before finds nothing under the names that it knows. */
const outdated = () => new Failure(0, 'outdated', 'Signalbox was updated. Reload the page to continue.', null)

const lastReload = 'signalbox.reloaded'

/** Whether reloading the page may help: not when that was just tried. */
export const isMendedByReload = (error: unknown): boolean =>
  error instanceof Failure &&
  error.code === 'outdated' &&
  Date.now() - Number(sessionStorage.getItem(lastReload)) > 30_000

/** Not while the server is away: the page would then be the browser's error page, which does not retry. */
export async function reload(): Promise<void> {
  if (!(await probe())) throw unreachable()
  sessionStorage.setItem(lastReload, String(Date.now()))
  location.reload()
}
