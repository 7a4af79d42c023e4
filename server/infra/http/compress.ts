import { Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

export type Encoding = 'zstd' | 'br' | 'gzip'

const fromBytes = 1_024
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }

const whole: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  zstd: promisify(zlib.zstdCompress),
  br: (body) => promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(body, brotli),
  gzip: promisify(zlib.gzip),
}

const piecewise: Record<Encoding, () => Transform> = {
  zstd: () => zlib.createZstdCompress(),
  br: () => zlib.createBrotliCompress(brotli),
  gzip: () => zlib.createGzip(),
}

const all: readonly Encoding[] = ['zstd', 'br', 'gzip']

/** The best encoding the client takes of those there are; null for none. */
export function encodingFor(accept: string | undefined, among: readonly Encoding[] = all): Encoding | null {
  if (!accept) return null
  const offered = new Map(
    accept.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, q === undefined ? 1 : Number(q.slice(2))] as const
    }),
  )
  const weight = (name: Encoding) => offered.get(name) ?? offered.get('*') ?? 0
  const best = among.toSorted((a, b) => weight(b) - weight(a))[0]!
  return weight(best) > 0 ? best : null
}

export const worthCompressing = (body: string): boolean => body.length >= fromBytes

export const compress = (body: Buffer, encoding: Encoding): Promise<Buffer> => whole[encoding](body)

export function compressStream(content: AsyncIterable<string>, encoding: Encoding): Readable {
  const source = Readable.from(content)
  const sink = piecewise[encoding]()
  source.on('error', (error) => sink.destroy(error))
  return source.pipe(sink)
}
