import type { Acquire, Register } from '@signalbox/contract/runner/messages.ts'
import type { PlayedOrder, PlayServer } from './play-server.ts'
import type { Expectation, Scenario } from './scenario.ts'

/** What is known of the runner when the scenario is over. */
interface Aftermath {
  exitCode: number | null
  leftBehind: number[]
}

/** What did not hold, each as a sentence. */
export function breaches({ expect }: Scenario, server: PlayServer, after: Aftermath): string[] {
  return [...always(server, after), ...expected(expect, server, after)]
}

/** What holds whatever is played. */
export function always(server: PlayServer, { leftBehind }: Aftermath): string[] {
  const found = [...server.violations]
  const token = server.recorded[0]?.headers.authorization?.replace('Bearer ', '') ?? ''
  for (const { call, headers, order, message } of server.recorded) {
    if (!['challenge', 'register'].includes(call) && !headers['signalbox-session'])
      found.push(`${call} came without its session`)
    if (call === 'log' && headers['content-encoding'] !== 'gzip') found.push('a log came without gzip')
    if (['reports', 'log'].includes(call) && JSON.stringify(message).includes(token))
      found.push(`the token was told in ${call} of ${order?.order.run}`)
  }
  for (const order of server.orders.filter(({ ask }) => ask !== null)) {
    const first = server.recorded.find((call) => call.order === order || beats(call, order))
    if (first && first.call !== 'beat')
      found.push(`${order.order.run} was worked on before a beat: ${first.call} came first`)
  }
  if (leftBehind.length > 0) found.push(`processes were left behind: ${leftBehind.join(', ')}`)
  return found
}

const beats = ({ call, message }: PlayServer['recorded'][number], { order }: PlayedOrder) =>
  call === 'beat' && JSON.stringify(message).includes(`"${order.run}"`)

const aside = ['progress', 'usage', 'begun', 'session_known']

function expected(expect: Expectation, server: PlayServer, { exitCode }: Aftermath): string[] {
  const found: string[] = []
  const differs = (what: string, wanted: unknown, seen: unknown) => {
    if (JSON.stringify(wanted) !== JSON.stringify(seen))
      found.push(`${what} should be ${JSON.stringify(wanted)} and is ${JSON.stringify(seen)}`)
  }
  const log = server.orders.flatMap((order) => [...order.log.values()].flat())
  const seen = (call: string) => server.recorded.filter((other) => other.call === call)
  const reported = server.orders.map(({ reports }) =>
    [...reports.values()].map(({ type }) => type).filter((type) => !aside.includes(type)),
  )
  if (expect.reported) differs('what was reported', expect.reported, reported)
  if (expect.exitCode !== undefined) differs('the exit code', expect.exitCode, exitCode)
  for (const [call, times] of Object.entries(expect.calls ?? {}))
    if (seen(call).length < times) found.push(`${call} came ${seen(call).length} times, not ${times}`)
  for (const [call, times] of Object.entries(expect.callsAtMost ?? {}))
    if (seen(call).length > times) found.push(`${call} came ${seen(call).length} times, more than ${times}`)
  if (expect.before) {
    const { call, comes, times } = expect.before
    const first = server.recorded.findIndex((other) => other.call === call)
    const earlier = server.recorded.slice(0, first).filter((other) => other.call === comes)
    if (earlier.length < times) found.push(`${call} came after ${earlier.length} of ${comes}, not ${times}`)
  }
  for (const call of expect.never ?? [])
    if (seen(call).length > 0) found.push(`${call} came and should not have`)
  for (const line of expect.logged ?? [])
    if (!log.some((other) => other.includes(line))) found.push(`the log lacks ${line}`)
  for (const line of expect.notLogged ?? [])
    if (log.some((other) => other.includes(line))) found.push(`the log has ${line}`)
  if (expect.sameAsk)
    differs(
      'the number of asks',
      1,
      new Set(seen('acquire').map(({ message }) => (message as Acquire).ask)).size,
    )
  if (expect.held) {
    const last = seen('register').at(-1)!.message as Register
    differs(
      'what it held',
      expect.held,
      last.holds.map(({ state }) => state),
    )
  }
  if (expect.failedWith !== undefined) {
    const errors = server.orders.flatMap(({ reports }) =>
      [...reports.values()].flatMap((event) => (event.type === 'failed' ? [event.error] : [])),
    )
    if (!errors.at(-1)?.includes(expect.failedWith))
      found.push(`the last failure should say "${expect.failedWith}" and says "${errors.at(-1)}"`)
  }
  return found
}
