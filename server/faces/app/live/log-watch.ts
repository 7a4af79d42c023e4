import type { Context } from '../../../domain/context.ts'
import { findLog, type LogStanding } from '../../../domain/work/runs/log/read.ts'

type Listener = (now: LogStanding) => Promise<void>

interface Watched {
  ctx: Pick<Context, 'db' | 'workspaceId'>
  runId: string
  listeners: Set<Listener>
  sent: string
}

const pollMs = 200

/**
 * Looks how far the logs are that someone reads just now: one look a run, however many read it. They are told in the
 * same turn, so that those who stand at the same line ask for the next ones together.
 */
export class LogWatch {
  readonly #onError: (error: unknown) => void
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined
  #looking = false

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Calls `hear` whenever the log has grown or its run is over, until it is stopped. */
  listen(ctx: Pick<Context, 'db' | 'workspaceId'>, runId: string, listener: Listener): () => void {
    const watched = this.#watched.get(runId) ?? { ctx, runId, listeners: new Set(), sent: '' }
    // A new listener may be at another line than the others: the next poll notifies all.
    watched.sent = ''
    watched.listeners.add(listener)
    this.#watched.set(runId, watched)
    this.#timer ??= setInterval(() => this.#look(), pollMs)
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0 && this.#watched.get(runId) === watched) this.#watched.delete(runId)
      if (this.#watched.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await Promise.all([...this.#watched.values()].map((watched) => this.#tell(watched)))
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#looking = false
    }
  }

  async #tell(watched: Watched): Promise<void> {
    const now = await findLog(watched.ctx, { runId: watched.runId })
    const said = `${now.lines} ${now.isOver}`
    if (said === watched.sent) return
    watched.sent = said
    // Not waited for: a slow listener must not hold up the others.
    for (const listener of [...watched.listeners]) listener(now).catch(this.#onError)
  }
}
