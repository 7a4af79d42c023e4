import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** The shape of each kind of a thing, to check it by where it is written and where it is read. */
export class Shapes<K extends string> {
  readonly #shapes: Record<K, TSchema>
  /** Compiled when the first of its kind is there: a start need not wait for all of them. */
  readonly #validators = new Map<K, Validator>()

  constructor(shapes: Record<K, TSchema>) {
    this.#shapes = shapes
  }

  fits(kind: K, value: unknown): boolean {
    return this.#validatorFor(kind).Check(value)
  }

  /** What does not match is a mistake in our code, never in what a caller sent. */
  check(kind: K, value: unknown): void {
    if (this.fits(kind, value)) return
    const [first] = this.#validatorFor(kind).Errors(value)
    throw new TypeError(`What ${kind} says is not valid: ${first?.instancePath} ${first?.message}.`)
  }

  #validatorFor(kind: K): Validator {
    const validator = this.#validators.get(kind) ?? Compile(this.#shapes[kind])
    this.#validators.set(kind, validator)
    return validator
  }
}
