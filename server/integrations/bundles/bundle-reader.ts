import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ChangeReader, ReadChange, ReadRequest, Unreadable } from '../../domain/ports/change-reader.ts'
import { tooMuch } from './open-bundle.ts'
import type { Answer, Question } from './read-thread.ts'

/** At the same time, in this process. The others wait. */
const mostAtOnce = 2
const mostMegabytes = 512
const mostMs = 5 * 60_000

/**
 * Reads bundles outside the server's main thread: git unpacks them in processes with limits, and its output is checked
 * in a thread with limits too, so that a bundle made to be slow keeps only its sender waiting.
 */
export class BundleReader implements ChangeReader {
  #free = mostAtOnce
  readonly #waiting: (() => void)[] = []

  async read({ bytes, ...guarding }: ReadRequest): Promise<ReadChange | Unreadable> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#free -= 1
    const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bundle-'))
    try {
      return await answerOf({ ...guarding, folder, bytes: await bytes() })
    } finally {
      await rm(folder, { recursive: true, force: true })
      this.#free += 1
      this.#waiting.shift()?.()
    }
  }
}

function answerOf(question: Question): Promise<Answer> {
  const worker = new Worker(new URL('./read-thread.ts', import.meta.url), {
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => {
    resolve({ unreadable: tooMuch })
    void worker.terminate()
  }, mostMs)
  worker.on('message', resolve)
  worker.on('error', (error: Error & { code?: string }) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ unreadable: tooMuch }) : reject(error),
  )
  worker.on('exit', (code) => reject(new Error(`The thread that reads a bundle ended with ${code}.`)))
  return promise.finally(() => clearTimeout(timer))
}
