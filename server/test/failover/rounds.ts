import { until } from '../until.ts'
import type { DatabasePair, Name } from './database-pair.ts'
import type { Haproxy } from './haproxy.ts'
import type { Load } from './load.ts'
import type { Nodes } from './nodes.ts'
import type { Probe } from './probe.ts'
import type { Gap, Pulse } from './pulse.ts'

export type Kind = 'kill' | 'switchover' | 'kill, and a node' | 'cut off'

/** The primary is killed and moved in turn. Once a node goes with it, and once it is only out of reach. */
export function kindOf(round: number): Kind {
  if (round === 2) return 'kill, and a node'
  if (round === 3) return 'cut off'
  return round % 2 === 0 ? 'kill' : 'switchover'
}

/** What Signalbox may add to what PostgreSQL, Patroni and the proxy take. */
const mostOwnMs = 1_000

/** What is looked at of the time before a round, to tell what comes from the machine. */
const calmForMs = 3_000
/** PostgreSQL that has not committed for longer than that was not to be used. */
const steadyMs = 500

interface Played {
  kind: Kind
  gaps: number[]
  ownMs: number
  awayMs: number
}

interface Scene {
  databases: DatabasePair
  /** null: the nodes know both databases. */
  proxy: Haproxy | null
  nodes: Nodes
  probe: Probe
  load: Load
}

export class Rounds {
  readonly #scene: Scene
  readonly #print: (line: string) => void
  readonly #played: Played[] = []

  constructor(scene: Scene, print: (line: string) => void) {
    this.#scene = scene
    this.#print = print
  }

  get isQuick(): boolean {
    return this.#played.every(({ ownMs }) => ownMs < mostOwnMs)
  }

  async play(number: number, kind: Kind): Promise<void> {
    const { databases, proxy, probe, load } = this.#scene
    const from = await this.#calm()
    const to: Name = from === 'db1' ? 'db2' : 'db1'
    const begun = performance.now()
    const calmMs = Math.max(...load.direct.map((pulse) => pulse.longestGapMs(begun - calmForMs, begun)))
    const mend = await this.#break(kind, from, to)
    await until(`${to} is the primary`, async () =>
      proxy ? proxy.sawPrimary(to, begun) !== undefined : databases.isPrimary(to),
    )
    const seen = proxy?.sawPrimary(to, begun) ?? performance.now()
    // With two databases, strict synchronous replication waits for the one that is away.
    if (kind === 'cut off') await mend()
    await until(`${to} commits`, () => probe.commits[to].firstAfter(begun) !== undefined)
    const committed = probe.commits[to].firstAfter(begun)!
    await databases.healthy()
    const well = performance.now()
    await until('everything works again', () =>
      load.pulses.every((pulse) => pulse.firstAfter(well) !== undefined),
    )
    if (kind !== 'cut off') await mend()

    const gaps = load.pulses.map((pulse) => pulse.longestGapMs(begun, well))
    const own = load.direct.map((pulse) => {
      const shares = pulse.gaps(begun, well).map((gap) => this.#shareOf(gap, pulse, to, seen))
      return Math.max(0, ...shares)
    })
    const ownMs = Math.max(...own)
    this.#played.push({ kind, gaps, ownMs, awayMs: Math.max(seen, committed) - begun })
    const named = (pulses: Pulse[], values: number[]) =>
      pulses.map(({ name }, at) => `${name} ${inSeconds(values[at]!)}`).join(', ')
    this.#print(
      [
        `${number}. ${kind}: ${from} to ${to}`,
        `${proxy ? 'haproxy saw it' : 'promoted'} after ${inSeconds(seen - begun)}, commits after ${inSeconds(committed - begun)}`,
        `gaps: ${named(load.pulses, gaps)}`,
        `our own share ${inSeconds(ownMs)} (${named(load.direct, own)}; before the round up to ${inSeconds(calmMs)} apart)`,
        `answers reached agents within ${inSeconds(load.slowestToldSince(seen))}`,
      ].join('; '),
    )
  }

  /**
   * What of a gap is ours: from when the primary could be used. Reads need a primary that the proxy knows. Writes need
   * one that commits as well, and a standby that leaves again stops it.
   */
  #shareOf({ begun, ended }: Gap, pulse: Pulse, primary: Name, seen: number): number {
    const { load, probe } = this.#scene
    const steady =
      pulse === load.calls ? seen : (probe.commits[primary].steadySince(ended, steadyMs) ?? ended)
    return ended < seen ? 0 : Math.max(0, ended - Math.max(begun, seen, steady))
  }

  /** Both databases are well, and everything has just worked. */
  async #calm(): Promise<Name> {
    const { databases, load } = this.#scene
    const primary = await databases.healthy()
    const since = performance.now()
    await until(
      'everything works',
      () => performance.now() > since + calmForMs && load.pulses.every(({ last }) => last > since),
    )
    return primary
  }

  async #break(kind: Kind, from: Name, to: Name): Promise<() => unknown> {
    const { databases, nodes } = this.#scene
    if (kind === 'cut off') return databases.cutOff(from)
    if (kind === 'switchover') {
      const switching = databases.switchOver(from, to)
      return () => switching
    }
    const bringBack = kind === 'kill' ? () => {} : nodes.kill(this.#played.length % 2)
    await databases.kill(from)
    return bringBack
  }

  sum(): void {
    const { load } = this.#scene
    const kinds = [...new Set(this.#played.map(({ kind }) => kind))]
    for (const kind of kinds) {
      const those = this.#played.filter((one) => one.kind === kind)
      const longest = load.pulses.map(
        ({ name }, at) => `${name} ${inSeconds(Math.max(...those.map(({ gaps }) => gaps[at]!)))}`,
      )
      const spread = (values: number[]) =>
        `${inSeconds(median(values))} (at most ${inSeconds(Math.max(...values))})`
      this.#print(
        `${kind}, ${those.length} rounds: database away for ${spread(those.map(({ awayMs }) => awayMs))}; our own share ${spread(those.map(({ ownMs }) => ownMs))}; longest gaps: ${longest.join(', ')}`,
      )
    }
  }
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
