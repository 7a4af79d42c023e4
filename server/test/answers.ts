import assert from 'node:assert/strict'

/** What was answered, once it is known to be answered with that status. */
export async function json<T>(answer: Response | Promise<Response>, status = 200): Promise<T> {
  const response = await answer
  const text = await response.text()
  assert.equal(response.status, status, text)
  return JSON.parse(text)
}

/** Why something was refused. */
export async function refusal(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { status: response.status, ...error }
}
