import type { AnyOrder, Credential, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Took } from './order-trace.ts'

export type Usage = Extract<RunnerEvent, { type: 'usage' }>

/**
 * What does the work of one order, from its beginning to a report that ends it. It tells everything through its
 * context.
 */
export type Work = (order: AnyOrder, context: OrderContext) => Promise<void>

/** What the work of one order can do. */
export interface OrderContext {
  /** A folder for this order alone; deleted with it. */
  readonly folder: string
  /** To be put into the environment of every process that is started: so that none is left behind. */
  readonly mark: Record<string, string>
  /** Aborted when the work is no longer wanted; its reason is a `Stopped`. End politely. */
  readonly cancelled: AbortSignal
  /** Time for politeness is over. */
  readonly aborted: AbortSignal
  /** Where the work stands, in a word or two, for people who look at the runner. */
  phase(name: string): void
  /**
   * On disk when this returns, delivered later in the order of the calls. Throws when the order was stopped. What ends
   * the order is written when its work has ended: by then everything that it has spent is known, and stands before it.
   */
  report(event: RunnerEvent): void
  /**
   * Writes down what a call of a model can cost at most: on disk when this returns, so that it counts whatever happens
   * to this process. Throws when it cannot be, and then the call must not be made.
   */
  reserve(most: Usage): (cost: Usage | null) => void
  /** A line of the log. */
  print(line: string): void
  /** Uploads a file and says its SHA-256; a report may name it from then on. */
  keep(file: string | Buffer): Promise<string>
  /** Brings a file of this run, by its SHA-256, into the order's folder and says where it is. */
  fetchFile(sha256: string): Promise<string>
  /**
   * Lets git in, to another repository of the order where one is named; through the server, where it is relayed. Waits
   * while the server has not answered for longer than the lease; `write` also as `mayPush`.
   */
  credential(access: 'read' | 'write', repository?: string): Promise<Credential & { isRelayed?: boolean }>
  /** Returns when the server has said within the last ten seconds that this order is still wanted. */
  mayPush(): Promise<void>
  /** Watches an agent's turn: it must say something, and not the same forever. */
  watchTurn(): TurnWatch
  /** Notes for the trace of the run what took from that moment (milliseconds since 1970) until now. */
  took(what: Took, from: number): void
  /** Keeps a text out of everything that is told from here on. */
  hide(secret: string): void
}

export interface TurnWatch {
  /** The agent did something; `call` is a tool with its input. */
  onActivity(call?: string): void
  end(): void
}

/** Why an order is no longer worked on. */
export class Stopped extends Error {
  readonly how: 'cancel' | 'abort'
  /** The server asked for it, this process leaves, or a watchdog found it hopeless, which is then reported. */
  readonly by: 'server' | 'runner' | 'watchdog'
  readonly failureClass: 'transient' | 'persistent'

  constructor(
    reason: string,
    {
      how,
      by,
      failureClass = 'transient',
    }: Pick<Stopped, 'how' | 'by'> & Partial<Pick<Stopped, 'failureClass'>>,
  ) {
    super(reason)
    this.how = how
    this.by = by
    this.failureClass = failureClass
  }
}

/** Work that cannot go on; thrown, it becomes the report that ends the order. */
export class WorkFailed extends Error {
  readonly failureClass: Extract<RunnerEvent, { type: 'failed' }>['failureClass']

  constructor(error: string, failureClass: WorkFailed['failureClass'], options?: ErrorOptions) {
    super(error, options)
    this.failureClass = failureClass
  }
}

/** The repository cannot be read, or not written, before someone has done something; the run waits for that. */
export class RepositoryRefused extends WorkFailed {
  constructor(error: string) {
    super(error, 'dependency')
  }
}
