/** Which service an alert belongs to, among those its source feeds; or why none. */
export function routeOf(
  named: string | null,
  fed: readonly { serviceId: string; name: string }[],
): { serviceId: string } | { reason: string } {
  if (fed.length === 1) return { serviceId: fed[0]!.serviceId }
  if (fed.length === 0) return { reason: 'The source has no services.' }
  if (named === null) return { reason: 'The source has several services, and the alert doesn’t name one.' }
  const called = named.trim().toLowerCase()
  const match = fed.find(({ name }) => name.toLowerCase() === called)
  if (match) return { serviceId: match.serviceId }
  return { reason: `The source has no service called ${named.slice(0, 100)}.` }
}
