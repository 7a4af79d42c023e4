import assert from 'node:assert/strict'

/** Each export that is answered has been recorded; its id is the acknowledgement. */
export async function writeUntil(
  url: string,
  token: string,
  stopped: () => boolean,
  acknowledged: string[],
): Promise<void> {
  while (!stopped()) {
    try {
      const response = await fetch(`${url}/v1/audit/export?event=team_paused`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await response.text()
      if (response.status === 200) acknowledged.push(response.headers.get('x-service-export-id')!)
    } catch {
      return
    }
  }
}

export async function recorded(url: string, token: string): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = new URLSearchParams({
      event: 'audit_exported',
      limit: '100',
      ...(cursor ? { cursor } : {}),
    })
    const response = await fetch(`${url}/v1/audit?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(response.status, 200, await response.clone().text())
    const page = (await response.json()) as { data: { entity: { id: string } }[]; nextCursor: string | null }
    for (const entry of page.data) ids.add(entry.entity.id)
    cursor = page.nextCursor
  }
  return ids
}
