import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { ageIntroBytes, CannotDecrypt, decrypted, encrypted, isAge } from './age.ts'
import { BrokenArchive, ByteReader, type TarEntry, tarEntriesIn, tarOf } from './tar.ts'

/**
 * One part of a backup: a tar, compressed with zstd, encrypted with age if there is a passphrase. Each of them is a
 * format of its own that other tools open: `age -d FILE | zstd -d | tar -x`.
 */
export async function writeArchive(
  entries: AsyncIterable<TarEntry>,
  passphrase: string | null,
  to: Writable,
  signal?: AbortSignal,
): Promise<{ bytes: number }> {
  let bytes = 0
  await pipeline(
    Readable.from(tarOf(entries)),
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of passphrase === null ? source : encrypted(source, passphrase)) {
        bytes += chunk.length
        yield chunk
      }
    },
    to,
    // Standard output is not ours to end.
    { end: to !== process.stdout, ...(signal ? { signal } : {}) },
  )
  return { bytes }
}

/** What is in it, checked on the way as far as the formats go. */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): AsyncGenerator<TarEntry> {
  const { start, whole } = await peek(source, ageIntroBytes)
  if (isAge(start) && passphrase === null)
    throw new CannotDecrypt(
      'The backup is encrypted. Set BACKUP_PASSPHRASE, or name the file that holds the passphrase with --passphrase-file.',
    )
  const plain = isAge(start) ? decrypted(whole, passphrase!) : whole
  yield* tarEntriesIn(unpacked(plain))
}

async function* unpacked(plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    const unpacking = createZstdDecompress()
    // What it fails with comes out at the other end.
    pipeline(Readable.from(plain), unpacking).catch(() => {})
    yield* unpacking as AsyncIterable<Buffer>
  } catch (cause) {
    if (cause instanceof CannotDecrypt || cause instanceof BrokenArchive) throw cause
    throw new BrokenArchive('The backup is damaged, or is not one.', { cause })
  }
}

async function peek(source: AsyncIterable<Buffer>, size: number) {
  const bytes = new ByteReader(source)
  const start = await bytes.takeUpTo(size)
  async function* whole() {
    yield start
    yield* bytes.rest()
  }
  return { start, whole: whole() }
}
