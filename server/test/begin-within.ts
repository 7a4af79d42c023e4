/**
 * What a property tries, begun no more once that time is over; the first one always is. fast-check's own limit abandons
 * the run that is under way, which then goes on beside the next test.
 */
export function beginWithin<Given extends unknown[]>(
  ms: number,
  run: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  let endsAt: number | undefined
  return async (...given) => {
    if (endsAt !== undefined && performance.now() > endsAt) return
    endsAt ??= performance.now() + ms
    await run(...given)
  }
}
