import {
  limits,
  protocolVersion,
  type Register,
  type Registered,
} from '@signalbox/contract/runner/messages.ts'
import { ExitError, exitCodes } from '../exit-error.ts'
import { BackOff } from '../protocol/back-off.ts'
import type { Client } from '../protocol/client.ts'
import {
  isChallengeOver,
  isFinal,
  isFromElsewhere,
  isRevoked,
  isSessionGone,
  isSessionTaken,
  isTooOld,
  isUnacceptable,
  Refused,
  Unreachable,
} from '../protocol/failures.ts'
import type { Persist } from '../protocol/persist.ts'
import type { Time } from '../time.ts'

/** What the runner says of itself, apart from the orders it holds. */
type Introduction = Omit<Register, 'protocol' | 'holds' | 'proof'>

export interface SessionOptions {
  client: Client
  time: Time
  say: (line: string) => void
  introduction: Introduction
  /** Signs what the server asks, to show that the instance is its own. */
  sign: (challenge: string) => string
  holds: () => Register['holds']
  /** What the server says of them. */
  onVerdicts: (holds: Registered['holds']) => void
  /** Goes when this process does. */
  leaving: AbortSignal
  /** There is no point in going on. */
  onEnd: (why: ExitError) => void
}

/** The standing between this process and the server: registers, and again whenever the server has forgotten it. */
export class Session {
  readonly #options: SessionOptions
  #underWay: Promise<void> | null = null
  #isAway = false
  intervals = { pollSeconds: 30, beatSeconds: 15, leaseSeconds: 60 }
  limits = limits

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Registers, which also reconciles: the server says which of the orders held it still wants. */
  register(): Promise<void> {
    this.#underWay ??= this.#register(this.#options.leaving).finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /** Makes a call until it is answered. Says once that the server is away, and once that it is back. */
  readonly persist: Persist = async (call, signal) => {
    const backOff = new BackOff()
    for (;;) {
      signal.throwIfAborted()
      const session = this.#options.client.session
      try {
        const answer = await call(signal)
        this.isBack()
        return answer
      } catch (error) {
        if (isNoAnswer(error)) await this.#waitOut(error, backOff, signal)
        else if (isSessionGone(error)) {
          await this.renew(session)
          await this.#options.time.wait(backOff.next(), signal)
        } else {
          this.refused(error)
          throw error
        }
      }
    }
  }

  /** After a call of the session `number` was refused because there is another by now. */
  async renew(number: number | null): Promise<void> {
    if (this.#options.client.session === number) await this.register()
  }

  /** What cannot be mended by trying again ends the process. */
  refused(error: unknown): void {
    if (!(error instanceof Refused)) return
    if (isRevoked(error)) this.#options.onEnd(revoked(error))
    else if (isTooOld(error))
      this.#options.onEnd(new ExitError(`This runner is too old: ${error.message}`, exitCodes.upgrade))
  }

  isAway(error: Error): void {
    if (!this.#isAway) this.#options.say(`The server cannot be reached, trying again: ${error.message}.`)
    this.#isAway = true
  }

  isBack(): void {
    if (this.#isAway) this.#options.say('The server is back.')
    this.#isAway = false
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { client, introduction, sign, holds, onVerdicts, say, onEnd } = this.#options
    const backOff = new BackOff()
    const protocol = { least: protocolVersion, most: protocolVersion }
    for (;;) {
      signal.throwIfAborted()
      try {
        // Each try is asked again: what was signed once is not taken again.
        const { instance, boot } = introduction
        const { challenge } = await client.challenge({ instance, boot }, signal)
        const proof = { challenge, signature: sign(challenge) }
        const registered = await client.register({ ...introduction, protocol, proof, holds: holds() }, signal)
        this.isBack()
        return this.#settle(registered, onVerdicts)
      } catch (error) {
        // Only who has been there once knows that there is a server behind it.
        if (error instanceof Unreachable || (isNoAnswer(error) && client.session !== null))
          await this.#waitOut(error, backOff, signal)
        else if (isChallengeOver(error)) await this.#options.time.wait(backOff.next(), signal)
        else if (error instanceof Refused && isSessionTaken(error)) {
          say(`Another process is still registered as this runner: ${error.message} Trying again.`)
          await this.#options.time.wait(backOff.next(error.retryAfterSeconds), signal)
        } else {
          this.refused(error)
          if (error instanceof Refused && !isFinal(error)) onEnd(unregistered(error))
          throw error
        }
      }
    }
  }

  #settle(registered: Registered, onVerdicts: SessionOptions['onVerdicts']): void {
    const { pollSeconds, beatSeconds, leaseSeconds, notice } = registered
    if (registered.protocol !== protocolVersion) {
      const sentence = `The server wants version ${registered.protocol} of the protocol; this runner speaks ${protocolVersion}. Install the runner that belongs to the server.`
      this.#options.onEnd(new ExitError(sentence, exitCodes.upgrade))
      return
    }
    this.intervals = { pollSeconds, beatSeconds: Math.max(1, beatSeconds), leaseSeconds }
    this.limits = registered.limits
    this.#options.client.maxFileBytes = registered.limits.fileBytes
    if (notice) this.#options.say(notice)
    onVerdicts(registered.holds)
  }

  async #waitOut(error: Unreachable | Refused, backOff: BackOff, signal: AbortSignal): Promise<void> {
    this.isAway(error)
    await this.#options.time.wait(backOff.next(error.retryAfterSeconds), signal)
  }
}

/** The server was not reached, or only a proxy in between: the same call may succeed the next time. */
const isNoAnswer = (error: unknown): error is Unreachable | Refused =>
  error instanceof Unreachable || (isFromElsewhere(error) && !isUnacceptable(error))

const revoked = (error: Refused) =>
  new ExitError(
    `The server no longer accepts this token: ${error.message} Create another in Settings, API tokens, and start again with it in SERVICE_API_KEY.`,
    exitCodes.revoked,
  )

const unregistered = (error: Refused) =>
  new ExitError(
    error.status === 404
      ? 'There is no Signalbox with runners of this version at this address. Check --url, and that the server is as new as the runner.'
      : `The server refused this runner: ${error.message}`,
  )
