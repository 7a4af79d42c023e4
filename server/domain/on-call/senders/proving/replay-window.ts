const replayWindowSeconds = 300
const unixSeconds = /^\d{1,12}$/

export const unixTime = (at: Date): string => String(Math.floor(at.getTime() / 1000))

/** Why a signed time, in Unix seconds, is refused; null when the request is of now. Null as time: given twice. */
export function timestampFault(timestamp: string | null, header: string, now: Date): string | null {
  if (timestamp === null || !unixSeconds.test(timestamp)) return `${header} is not a time in Unix seconds.`
  // In whole seconds, as the header is: a request of exactly five minutes ago is still good.
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (age > replayWindowSeconds) return `The request is older than five minutes, as ${header} says.`
  if (age < -replayWindowSeconds)
    return `${header} is more than five minutes in the future. Check the clock of the sender.`
  return null
}
