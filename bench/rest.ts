import { type Figure, median } from './figures.ts'
import { load } from './load.ts'
import { residentMegabytes, start } from './process.ts'

const connections = 32
const seconds = 2
const rounds = 5

/** The server under load, against a bare Fastify that sends the same bytes, in turns on the same machine. */
export async function restFigures(demo: { url: string; token: string; pid: number }): Promise<Figure[]> {
  const figures = [
    await against(demo, '/v1/decisions?limit=25', 0.8),
    await against(demo, '/v1/teams/checkout-web', 0.7),
    await against(demo, '/v1/audit?limit=25', 0.6),
  ]
  const memory = await residentMegabytes(demo.pid)
  if (memory !== null) {
    figures.push({
      what: 'Server memory while loaded',
      ours: `${Math.round(memory)} MB`,
      peer: '',
      ratio: null,
      target: 'under 200 MB',
      met: memory < 200,
    })
  }
  return figures
}

async function against(demo: { url: string; token: string }, path: string, target: number): Promise<Figure> {
  const headers = { Authorization: `Bearer ${demo.token}` }
  const body = await (await fetch(demo.url + path, { headers })).text()
  const peer = await start(['bench/peer.ts'], {}, body)
  await load(peer.line, {}, 1, connections)
  await load(demo.url + path, headers, 2, connections)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    theirs.push((await load(peer.line, {}, seconds, connections)).perSecond)
    const one = await load(demo.url + path, headers, seconds, connections)
    if (one.refused > 0) throw new Error(`${one.refused} requests to ${path} were refused.`)
    ours.push(one.perSecond)
  }
  await peer.stop()
  const ratio = median(ours.map((value, round) => value / theirs[round]!))
  return {
    what: `\`GET ${path}\`, ${body.length.toLocaleString('en')} bytes`,
    ours: `${Math.round(median(ours)).toLocaleString('en')}/s`,
    peer: `bare Fastify, same bytes: ${Math.round(median(theirs)).toLocaleString('en')}/s`,
    ratio,
    target: `at least ${target}`,
    met: ratio >= target,
  }
}
