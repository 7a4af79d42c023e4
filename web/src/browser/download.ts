import { failureOf, unreachable } from '../api/client.ts'

/** Fetches a file and hands it to the browser, so that a refusal is told here and not on a page of its own. */
export async function download(address: string): Promise<Headers> {
  const response = await fetch(address, { credentials: 'same-origin' }).catch(() => null)
  if (!response) throw unreachable()
  if (!response.ok) throw failureOf(response, await response.json().catch(() => null))
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  save(await response.blob(), name ?? 'download')
  return response.headers
}

export function save(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser has begun by then; what is never let go of stays in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
