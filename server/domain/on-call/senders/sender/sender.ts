import type { RecipeStep } from '@signalbox/contract/app/senders.ts'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Proving } from '../proving/proving.ts'
import type { Format } from '../reading/reading.ts'
import type { Sample } from './sample.ts'
import type { Setting } from './setting.ts'

/** Everything that is known of an alerting tool. */
export interface Sender {
  kind: SenderKind
  /** How it shows that it knows the secret of its source. */
  proving: Proving
  /** How its deliveries are read. */
  format: Format
  /** What it would send of an alert. */
  sample: Sample
  /** What a person may say of it; everything may be left out. */
  settings?: readonly Setting[]
  recipe: Recipe
  /** Other content types under which it sends JSON. */
  contentTypes?: readonly string[]
  /** Whether it is told what is wrong with a delivery. A tool would only drop the alert, or turn its webhook off. */
  hearsFaults?: boolean
}

/** What people are told about a sender. */
export interface Recipe {
  name: string
  /** The name within a sentence, where that differs. */
  inSentence?: string
  /** What a new source of it is called, where that is not its name. */
  sourceName?: string
  /** What it is good for, on its card. */
  about: string
  /** The sender makes the secret, under this name. */
  ownSecret?: string
  /** Alerts can be acknowledged and resolved there, with this as credentials. */
  credentials?: string
  /** What is done in the sender. In code, `{url}`, `{key}` (the address with its key) and `{secret}` are filled in. */
  steps: RecipeStep[]
  /** What its own test button does, and what to watch out for. */
  notes: string[]
  /**
   * A body for trying the address by hand: a test, or the recovery of an unknown alert, so that it opens no incident
   * and keeps none open. Missing where only the sender can sign.
   */
  body?: string
}
