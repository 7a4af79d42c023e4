import assert from 'node:assert/strict'

/**
 * What the files of one test run have together: a browser, in which each opens windows of its own, and a demo for those
 * that only look. Each is started for the first file that asks; they belong to the process that runs the tests, and end
 * with it (`app/offer-shared.ts`). A file that is run without that process starts its own.
 */

export const sharedVariable = 'SIGNALBOX_TEST_SHARED'

export interface Offers {
  /** Where it listens; null where this machine has none. */
  browser: string | null
  /** Its data folder, and the line that it printed. */
  demo: { data: string; printed: string }
}

/** What is offered by the run that this file is part of; undefined when it is run alone. */
export async function askShared<Name extends keyof Offers>(name: Name): Promise<Offers[Name] | undefined> {
  const address = process.env[sharedVariable]
  if (!address) return undefined
  const response = await fetch(`${address}/${name}`)
  const text = await response.text()
  assert.equal(response.status, 200, `the ${name} of this test run: ${text}`)
  return JSON.parse(text)
}
